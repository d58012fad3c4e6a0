#include "protocol/jsonrpc/envelope.hpp"

#include "protocol/jsonrpc/message.hpp"

#include <boost/json/array.hpp>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parser.hpp>
#include <boost/json/value.hpp>

#include <array>
#include <optional>

namespace memd::jsonrpc {
namespace {

namespace bj = boost::json;

const bj::value* find(const bj::value* v, std::string_view key) {
  return v != nullptr && v->is_object() ? v->get_object().if_contains(key) : nullptr;
}

std::string about(const bj::object& message) {
  const bj::value* params = message.if_contains("params");
  const bj::value* id = find(params, "requestId");
  if (id == nullptr) id = find(find(params, "_meta"), "io.modelcontextprotocol/subscriptionId");
  if (id == nullptr) id = find(params, "uri");
  return id == nullptr ? std::string() : id_text(*id);
}

std::optional<Envelope> read_one(const bj::value& v) {
  if (!v.is_object()) return std::nullopt;
  const bj::object& message = v.get_object();
  Envelope out;
  if (const bj::value* id = message.if_contains("id")) out.id = id_text(*id);
  const bj::value* method = message.if_contains("method");
  if (method == nullptr) {
    out.kind = Envelope::Kind::response;
    return out.id.empty() ? std::nullopt : std::optional(out);
  }
  if (!method->is_string()) return std::nullopt;
  out.method = std::string_view(method->get_string());
  out.kind = out.id.empty() ? Envelope::Kind::notification : Envelope::Kind::request;
  out.about_id = about(message);
  return out;
}

}  // namespace

struct EnvelopeReader::State {
  static bj::parse_options options() {
    bj::parse_options o;
    o.max_depth = kMaxDepth;
    return o;
  }
  bj::parser parser{bj::storage_ptr(), options()};
  std::vector<Envelope> found;
};

EnvelopeReader::EnvelopeReader() : state_(std::make_unique<State>()) {}
EnvelopeReader::~EnvelopeReader() = default;

const std::vector<Envelope>& EnvelopeReader::read(std::string_view line) {
  state_->found.clear();
  std::array<unsigned char, 16384> first_block;
  bj::monotonic_resource arena(first_block.data(), first_block.size());
  state_->parser.reset(&arena);
  boost::system::error_code ec;
  state_->parser.write(line.data(), line.size(), ec);
  if (ec) {
    state_->parser.reset();
    if (const auto mended = mended_text(line)) return read(*mended);  // sound now, so once
  } else {
    const bj::value root = state_->parser.release();
    const auto keep = [&](const bj::value& v) {
      if (auto one = read_one(v)) state_->found.push_back(std::move(*one));
    };
    if (root.is_array())
      for (const bj::value& item : root.get_array())
        keep(item);
    else
      keep(root);
  }
  state_->parser.reset();
  return state_->found;
}

}  // namespace memd::jsonrpc
