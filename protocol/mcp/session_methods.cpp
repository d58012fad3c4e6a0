#include "protocol/mcp/call.hpp"
#include "protocol/mcp/offered_methods.hpp"
#include "protocol/mcp/params.hpp"
#include "protocol/mcp/session.hpp"
#include "schemas/json_writer.hpp"

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

void Session::handle(jsonrpc::Request& request, std::shared_ptr<BatchReply> batch) {
  if (in_flight_.contains(request.id) || subscriptions_.has(request.id))
    return answer_error(request, kInvalidRequest, "a request with this id is still being worked on", batch);
  // A client was seen to send initialize after a successful server/discover, so it comes before the era.
  if (request.method == "initialize") return handle_initialize(request, batch);
  if (const ExtensionMethod* method = profile_.find_method(request.method))
    return handle_extension(request, *method, std::move(batch));

  const Era era = read_era(request.params.get_object());
  if (const auto* bad = std::get_if<BadMeta>(&era))
    return answer_error(request, bad->code, bad->message, batch, bad->data);
  if (const auto* modern = std::get_if<ModernMeta>(&era)) return handle_modern(request, *modern, std::move(batch));
  if (legacy_ || request.method == "ping") return handle_legacy(request, std::move(batch));
  answer_error(request, kInvalidParams,
               "send initialize first, or _meta with io.modelcontextprotocol/protocolVersion and "
               "io.modelcontextprotocol/clientCapabilities",
               batch);
}

void Session::handle(jsonrpc::Notification& notification) {
  if (notification.method == "notifications/cancelled") return handle_cancelled(notification);
  if (notification.method == "notifications/initialized") initialized_ = true;
  if (notification.method == kResuming) {
    const bj::value* count = member(notification.params, "subscriptions");
    if (count != nullptr && count->is_int64()) resuming_ = count->get_int64();
  }
}

void Session::handle_initialize(const jsonrpc::Request& request, const std::shared_ptr<BatchReply>& batch) {
  const auto asked = string_member(request.params, "protocolVersion");
  legacy_ = asked ? parse_legacy_revision(*asked).value_or(kLatestLegacy) : kLatestLegacy;
  legacy_samples_ = can_sample(member(request.params, "capabilities"));
  answer(batch, jsonrpc::result_line(request.id, profile_.initialize_result(*legacy_)));
}

void Session::handle_legacy(jsonrpc::Request& request, std::shared_ptr<BatchReply> batch) {
  const Revision revision = legacy_.value_or(kLatestLegacy);
  const std::string_view method = request.method;
  if (method == "tools/call") return handle_tools_call(request, revision, legacy_samples_, std::move(batch));
  if (method == "tools/list") return handle_tools_list(request, revision, batch);
  if (method == "logging/setLevel") return handle_set_level(request, batch);
  if (handle_offered(request, revision, batch)) return;
  if (profile_.resources() != nullptr) {
    if (method == "resources/subscribe") return handle_subscribe(request, std::move(batch));
    if (method == "resources/unsubscribe") return handle_unsubscribe(request, batch);
  }
  // One client asks for these whether they are offered or not, and shows an error as a broken server.
  std::string_view result;
  if (method == "ping") result = "{}";
  if (method == "resources/list") result = R"({"resources":[]})";
  if (method == "resources/templates/list") result = R"({"resourceTemplates":[]})";
  if (method == "prompts/list") result = R"({"prompts":[]})";
  if (result.empty()) return answer_error(request, kMethodNotFound, unknown_method(method), batch);
  answer(batch, jsonrpc::result_line(request.id, result));
}

void Session::handle_modern(jsonrpc::Request& request, const ModernMeta& meta, std::shared_ptr<BatchReply> batch) {
  constexpr Revision kModern = Revision::v2026_07_28;
  const std::string_view method = request.method;
  if (method == "tools/call") return handle_tools_call(request, kModern, meta.can_sample, std::move(batch));
  if (method == "tools/list") return handle_tools_list(request, kModern, batch);
  if (handle_offered(request, kModern, batch)) return;
  if (method == "server/discover") return answer(batch, jsonrpc::result_line(request.id, profile_.discover_result()));
  if (method == "subscriptions/listen" && batch == nullptr) return handle_listen(request);
  answer_error(request, kMethodNotFound, unknown_method(method), batch);
}

void Session::handle_set_level(const jsonrpc::Request& request, const std::shared_ptr<BatchReply>& batch) {
  const auto level = string_member(request.params, "level");
  const auto* const found = std::find(kLogLevels.begin(), kLogLevels.end(), level.value_or(""));
  if (found == kLogLevels.end())
    return answer_error(request, kInvalidParams, "level has to be one of the eight syslog names", batch);
  log_level_ = static_cast<int>(found - kLogLevels.begin());
  answer(batch, jsonrpc::result_line(request.id, "{}"));
}

void Session::log_to_client(std::string_view message) {
  if (closed_ || !log_level_ || *log_level_ > kErrorLevel) return;
  std::string params;
  json::Writer w(params);
  w.begin_object();
  w.member("level", kLogLevels[kErrorLevel]);
  w.member("logger", "memd");
  w.member("data", message);
  w.end_object();
  transport_->write_line(jsonrpc::notification_line("notifications/message", params));
}

void Session::handle_tools_list(const jsonrpc::Request& request, Revision revision,
                                const std::shared_ptr<BatchReply>& batch) {
  // The list is one page, so no cursor was ever handed out.
  if (member(request.params, "cursor") != nullptr)
    return answer_error(request, kInvalidParams, "unknown cursor: the list has one page", batch);
  answer(batch, jsonrpc::result_line(request.id, profile_.tool_list(revision)));
}

std::shared_ptr<Call> Session::make_call(jsonrpc::Request& request, bj::value params, Revision revision,
                                         std::shared_ptr<BatchReply> batch) const {
  auto call = std::make_shared<Call>(std::move(params));
  call->id = std::move(request.id);
  call->revision = revision;
  call->batch = std::move(batch);
  return call;
}

void Session::handle_tools_call(jsonrpc::Request& request, Revision revision, bool can_sample,
                                std::shared_ptr<BatchReply> batch) {
  const auto name = string_member(request.params, "name");
  if (!name) return answer_error(request, kInvalidParams, "params.name has to be the name of a tool", batch);
  const Tool* tool = profile_.tools().find(*name);
  if (tool == nullptr)
    return answer_error(request, kInvalidParams, "unknown tool: " + std::string(name->substr(0, 100)), batch);

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
    return answer(batch, jsonrpc::result_line(request.id, profile_.tool_result(bad, revision)));
  }
  auto call = make_call(request, std::move(arguments), revision, std::move(batch));
  call->tool = tool;
  call->can_sample = can_sample;
  call->retry = std::move(retry);
  call->progress_token = std::move(token);
  admit(std::move(call));
}

// Resources, prompts and completion. False: the method is none of these, or not offered.
bool Session::handle_offered(jsonrpc::Request& request, Revision revision, std::shared_ptr<BatchReply>& batch) {
  const OfferedMethod method = find_offered_method(request.method, profile_);
  if (method == nullptr) return false;
  std::string token = read_progress_token(request.params.get_object());
  const std::string_view name = request.method;
  const bool reads = name == "resources/read";
  const bool lists = name == "resources/list";
  auto call = make_call(request, std::move(request.params), revision, std::move(batch));
  call->progress_token = std::move(token);
  if (reads && !is_modern(revision)) call->not_found_code = kResourceNotFound;
  call->work = [method, this](const Call& c, ToolContext& context) { return method(profile_, c, context); };
  if (lists && !is_modern(revision)) watch_list_with(*call);
  admit(std::move(call));
  return true;
}

void Session::handle_extension(jsonrpc::Request& request, const ExtensionMethod& method,
                               std::shared_ptr<BatchReply> batch) {
  std::string token = read_progress_token(request.params.get_object());
  request.params.get_object().erase("_meta");  // of the transport, no argument
  auto call = make_call(request, std::move(request.params), kLatestLegacy, std::move(batch));
  call->progress_token = std::move(token);
  call->work = [&method](const Call& c, ToolContext& context) { return method(bj::serialize(c.params), context); };
  admit(std::move(call));
}

void Session::handle_cancelled(const jsonrpc::Notification& notification) {
  const bj::value* id = member(notification.params, "requestId");
  if (id == nullptr) return;
  const std::string key = jsonrpc::id_text(*id);
  if (subscriptions_.close(key)) return;
  if (const auto it = in_flight_.find(key); it != in_flight_.end()) cancel(std::shared_ptr<Call>(it->second));
}

}  // namespace memd::mcp
