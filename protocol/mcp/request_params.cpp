#include "protocol/mcp/request_params.hpp"

#include "protocol/jsonrpc/message.hpp"
#include "protocol/mcp/revision.hpp"
#include "schemas/base/json_writer.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace memd::mcp {
namespace {

namespace bj = boost::json;

constexpr std::string_view kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr std::string_view kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";

bool has_capability(const bj::value* capabilities, std::string_view name) {
  if (capabilities == nullptr || !capabilities->is_object()) return false;
  const bj::value* one = capabilities->get_object().if_contains(name);
  return one != nullptr && one->is_object();
}

BadMeta bad(std::string message) { return BadMeta{jsonrpc::kInvalidParams, std::move(message), {}}; }

}  // namespace

const bj::value* member(const bj::value& params, std::string_view name) {
  const bj::value* v = params.get_object().if_contains(name);
  return v != nullptr && !v->is_null() ? v : nullptr;
}

std::optional<std::string_view> string_member(const bj::value& params, std::string_view name) {
  const bj::value* v = member(params, name);
  if (v == nullptr || !v->is_string()) return std::nullopt;
  return std::string_view(v->get_string());
}

Era read_era(const bj::object& params) {
  const bj::value* meta = params.if_contains("_meta");
  const bj::object* keys = meta != nullptr ? meta->if_object() : nullptr;
  const bj::value* version = keys != nullptr ? keys->if_contains(kVersionKey) : nullptr;
  if (version == nullptr) return LegacyMeta{};
  if (!version->is_string()) return bad("_meta[\"io.modelcontextprotocol/protocolVersion\"] has to be a string");
  const std::string_view requested(version->get_string());
  if (requested != to_string(Revision::v2026_07_28)) {
    BadMeta unsupported{kUnsupportedProtocolVersion, "unsupported protocol version", {}};
    json::Writer w(unsupported.data);
    w.begin_object();
    w.member_raw("supported", R"(["2026-07-28"])");
    w.member("requested", requested);
    w.end_object();
    return unsupported;
  }
  const bj::value* capabilities = keys->if_contains(kCapabilitiesKey);
  if (capabilities == nullptr || !capabilities->is_object())
    return bad("_meta[\"io.modelcontextprotocol/clientCapabilities\"] is required and has to be an object");
  return ModernMeta{client_offers(capabilities)};
}

// A client that lists elicitation modes without `form` can only open URLs.
ClientOffers client_offers(const bj::value* capabilities) {
  ClientOffers out;
  out.model = has_capability(capabilities, "sampling");
  if (!has_capability(capabilities, "elicitation")) return out;
  const bj::object& ways = capabilities->at("elicitation").get_object();
  out.elicitation = ways.empty() || ways.contains("form") || !ways.contains("url");
  return out;
}

bool offers_roots(const bj::value* capabilities) { return has_capability(capabilities, "roots"); }

std::string read_progress_token(const bj::object& params) {
  const bj::value* meta = params.if_contains("_meta");
  if (meta == nullptr || !meta->is_object()) return {};
  const bj::value* token = meta->get_object().if_contains("progressToken");
  if (token == nullptr || !(token->is_string() || token->is_number())) return {};
  return bj::serialize(*token);
}

}  // namespace memd::mcp
