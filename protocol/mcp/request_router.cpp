#include "protocol/mcp/request_router.hpp"

#include "protocol/mcp/offered_methods.hpp"
#include "schemas/base/json_writer.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace memd::mcp {
namespace {

namespace bj = boost::json;
using jsonrpc::kInvalidParams;
using jsonrpc::kInvalidRequest;
using jsonrpc::kMethodNotFound;

constexpr std::array<std::string_view, 8> kLogLevels{"debug", "info",     "notice", "warning",
                                                     "error", "critical", "alert",  "emergency"};
constexpr int kErrorLevel = 4;

std::string unknown_method(std::string_view method) {
  return "method not found: " + std::string(method.substr(0, 100));
}

}  // namespace

void RequestRouter::handle(jsonrpc::Request& request, std::shared_ptr<BatchReply> batch) {
  // The answer without an id leaves the one with this id to the request that has it.
  if (calls_.has(request.id) || subscriptions_.has_stream(request.id))
    return replies_.answer(batch, jsonrpc::error_line(std::nullopt, kInvalidRequest,
                                                      "a request with the id " + request.id +
                                                          " is still being worked on; this one was not begun"));
  // A client was observed to send initialize after a successful server/discover, so this is checked before the era.
  if (request.method == "initialize") return initialize(request, batch);
  if (const ExtensionMethod* method = profile_.find_method(request.method))
    return call_extension(request, *method, std::move(batch));

  const Era era = read_era(request.params.get_object());
  if (const auto* bad = std::get_if<BadMeta>(&era))
    return replies_.answer_error(request, bad->code, bad->message, batch, bad->data);
  if (const auto* modern = std::get_if<ModernMeta>(&era)) return route_modern(request, *modern, std::move(batch));
  if (legacy_ || request.method == "ping") return route_legacy(request, std::move(batch));
  replies_.answer_error(request, kInvalidParams,
                        "send initialize first, or _meta with io.modelcontextprotocol/protocolVersion and "
                        "io.modelcontextprotocol/clientCapabilities",
                        batch);
}

void RequestRouter::handle(const jsonrpc::Notification& notification) {
  if (notification.method == "notifications/cancelled") {
    const bj::value* id = member(notification.params, "requestId");
    if (id == nullptr) return;
    const std::string key = jsonrpc::id_text(*id);
    if (!subscriptions_.close_stream(key)) calls_.cancel(key);
  } else if (notification.method == "notifications/roots/list_changed") {
    roots_.changed();
  } else if (notification.method == kWorkingDirectory) {
    calls_.set_directory(std::string(string_member(notification.params, "directory").value_or("")));
  } else if (notification.method == kResuming) {
    const bj::value* count = member(notification.params, "subscriptions");
    if (count != nullptr && count->is_int64()) subscriptions_.expect_resumed(count->get_int64());
  }
}

void RequestRouter::initialize(const jsonrpc::Request& request, const Batch& batch) {
  const auto asked = string_member(request.params, "protocolVersion");
  legacy_ = asked ? parse_legacy_revision(*asked).value_or(kLatestLegacy) : kLatestLegacy;
  legacy_offers_ = client_offers(member(request.params, "capabilities"));
  roots_.set_offered(offers_roots(member(request.params, "capabilities")));
  replies_.answer(batch, jsonrpc::result_line(request.id, profile_.initialize_result(*legacy_)));
}

void RequestRouter::route_legacy(jsonrpc::Request& request, Batch batch) {
  const Revision revision = legacy_.value_or(kLatestLegacy);
  const std::string_view method = request.method;
  if (method == "tools/call") return call_tool(request, revision, legacy_offers_, std::move(batch));
  if (method == "tools/list") return list_tools(request, revision, batch);
  if (method == "logging/setLevel") return set_log_level(request, batch);
  if (call_offered(request, revision, batch)) return;
  if (profile_.resources() != nullptr) {
    if (method == "resources/subscribe") return subscriptions_.subscribe(request, revision, std::move(batch));
    if (method == "resources/unsubscribe") return subscriptions_.unsubscribe(request, batch);
  }
  // One client asks for these whether they are offered or not, and shows an error as a broken server.
  std::string_view result;
  if (method == "ping") result = "{}";
  if (method == "resources/list") result = R"({"resources":[]})";
  if (method == "resources/templates/list") result = R"({"resourceTemplates":[]})";
  if (method == "prompts/list") result = R"({"prompts":[]})";
  if (result.empty()) return replies_.answer_error(request, kMethodNotFound, unknown_method(method), batch);
  replies_.answer(batch, jsonrpc::result_line(request.id, result));
}

void RequestRouter::route_modern(jsonrpc::Request& request, const ModernMeta& meta, Batch batch) {
  constexpr Revision kModern = Revision::v2026_07_28;
  const std::string_view method = request.method;
  if (method == "tools/call") return call_tool(request, kModern, meta.offers, std::move(batch));
  if (method == "tools/list") return list_tools(request, kModern, batch);
  if (call_offered(request, kModern, batch)) return;
  if (method == "server/discover")
    return replies_.answer(batch, jsonrpc::result_line(request.id, profile_.discover_result()));
  if (method == "subscriptions/listen" && batch == nullptr) return subscriptions_.listen(request);
  replies_.answer_error(request, kMethodNotFound, unknown_method(method), batch);
}

void RequestRouter::set_log_level(const jsonrpc::Request& request, const Batch& batch) {
  const auto level = string_member(request.params, "level");
  const auto* const found = std::find(kLogLevels.begin(), kLogLevels.end(), level.value_or(""));
  if (found == kLogLevels.end())
    return replies_.answer_error(request, kInvalidParams, "level has to be one of the eight syslog names", batch);
  log_level_ = static_cast<int>(found - kLogLevels.begin());
  replies_.answer(batch, jsonrpc::result_line(request.id, "{}"));
}

void RequestRouter::log_to_client(std::string_view message) {
  if (!log_level_ || *log_level_ > kErrorLevel) return;
  std::string params;
  json::Writer w(params);
  w.begin_object();
  w.member("level", kLogLevels[kErrorLevel]);
  w.member("logger", "memd");
  w.member("data", message);
  w.end_object();
  replies_.write(jsonrpc::notification_line("notifications/message", params));
}

void RequestRouter::list_tools(const jsonrpc::Request& request, Revision revision, const Batch& batch) {
  // The list is one page, so no cursor was ever handed out.
  if (member(request.params, "cursor") != nullptr)
    return replies_.answer_error(request, kInvalidParams, "unknown cursor: the list has one page", batch);
  replies_.answer(batch, jsonrpc::result_line(request.id, profile_.tool_list(revision)));
}

void RequestRouter::call_tool(jsonrpc::Request& request, Revision revision, ClientOffers offers, Batch batch) {
  const auto name = string_member(request.params, "name");
  if (!name) return replies_.answer_error(request, kInvalidParams, "params.name has to be the name of a tool", batch);
  const Tool* tool = profile_.tools().find(*name);
  if (tool == nullptr)
    return replies_.answer_error(request, kInvalidParams, "unknown tool: " + std::string(name->substr(0, 100)), batch);

  InputRetry retry;
  if (const auto state = string_member(request.params, "requestState")) retry.state = *state;
  bj::object& params = request.params.get_object();
  if (bj::value* responses = params.if_contains("inputResponses"); responses != nullptr)
    retry.responses = std::move(*responses);
  std::string token = read_progress_token(params);
  bj::value& arguments = params["arguments"];
  if (arguments.is_null()) arguments.emplace_object();
  if (!arguments.is_object()) {
    const ToolOutcome bad{"arguments: send a JSON object with the named arguments", {}, true, false};
    return replies_.answer(batch, jsonrpc::result_line(request.id, profile_.tool_result(bad, revision)));
  }
  auto call =
      std::make_shared<Call>(std::move(request.id), std::move(arguments), revision, std::move(batch), std::move(token));
  call->tool = tool;
  call->client = offers;
  call->retry = std::move(retry);
  calls_.admit(std::move(call));
}

bool RequestRouter::call_offered(jsonrpc::Request& request, Revision revision, Batch& batch) {
  const OfferedMethod method = find_offered_method(request.method, profile_);
  if (method == nullptr) return false;
  std::string token = read_progress_token(request.params.get_object());
  const bool reads = request.method == "resources/read";
  const bool lists = request.method == "resources/list";
  auto call = std::make_shared<Call>(std::move(request.id), std::move(request.params), revision, std::move(batch),
                                     std::move(token));
  if (reads && !is_modern(revision)) call->not_found_code = kResourceNotFound;
  call->names_resource = reads;
  call->work = [method, this](const Call& c, ToolContext& context) { return method(profile_, c, context); };
  if (lists && !is_modern(revision)) subscriptions_.watch_list_with(*call);
  calls_.admit(std::move(call));
  return true;
}

void RequestRouter::call_extension(jsonrpc::Request& request, const ExtensionMethod& method, Batch batch) {
  std::string token = read_progress_token(request.params.get_object());
  request.params.get_object().erase("_meta");  // of the transport, no argument
  auto call = std::make_shared<Call>(std::move(request.id), std::move(request.params), kLatestLegacy, std::move(batch),
                                     std::move(token));
  call->unhurried = true;
  call->work = [&method](const Call& c, ToolContext& context) { return method(bj::serialize(c.params), context); };
  calls_.admit(std::move(call));
}

}  // namespace memd::mcp
