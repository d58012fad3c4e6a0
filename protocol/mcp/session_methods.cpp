#include "schemas/json_writer.hpp"
#include "protocol/mcp/call.hpp"
#include "protocol/mcp/session.hpp"

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

const bj::value* member(const bj::value& params, std::string_view name) {
  const bj::value* v = params.get_object().if_contains(name);
  return v != nullptr && !v->is_null() ? v : nullptr;
}

std::optional<std::string_view> string_member(const bj::value& params, std::string_view name) {
  const bj::value* v = member(params, name);
  if (v == nullptr || !v->is_string()) return std::nullopt;
  return std::string_view(v->get_string());
}

std::string unknown_method(std::string_view method) {
  return "method not found: " + std::string(method.substr(0, 100));
}

}  // namespace

void Session::handle(jsonrpc::Request& request, std::shared_ptr<BatchReply> batch) {
  if (in_flight_.contains(request.id) || subscriptions_.contains(request.id))
    return answer_error(request, kInvalidRequest, "a request with this id is still being worked on", batch);
  // A client was seen to send initialize after a successful server/discover, so it comes before the era.
  if (request.method == "initialize") return handle_initialize(request, batch);
  if (const ExtensionMethod* method = profile_.find_method(request.method))
    return handle_extension(request, *method, std::move(batch));

  const Era era = read_era(request.params.get_object());
  if (const auto* bad = std::get_if<BadMeta>(&era))
    return answer_error(request, bad->code, bad->message, batch, bad->data);
  if (std::holds_alternative<ModernMeta>(era)) return handle_modern(request, std::move(batch));
  if (legacy_ || request.method == "ping") return handle_legacy(request, std::move(batch));
  answer_error(request, kInvalidParams,
               "send initialize first, or _meta with io.modelcontextprotocol/protocolVersion and "
               "io.modelcontextprotocol/clientCapabilities",
               batch);
}

void Session::handle(jsonrpc::Notification& notification) {
  if (notification.method == "notifications/cancelled") return handle_cancelled(notification);
  if (notification.method == "notifications/initialized") initialized_ = true;
}

void Session::handle_initialize(const jsonrpc::Request& request, const std::shared_ptr<BatchReply>& batch) {
  const auto asked = string_member(request.params, "protocolVersion");
  legacy_ = asked ? parse_legacy_revision(*asked).value_or(kLatestLegacy) : kLatestLegacy;
  answer(batch, jsonrpc::result_line(request.id, profile_.initialize_result(*legacy_)));
}

void Session::handle_legacy(jsonrpc::Request& request, std::shared_ptr<BatchReply> batch) {
  const Revision revision = legacy_.value_or(kLatestLegacy);
  const std::string_view method = request.method;
  if (method == "tools/call") return handle_tools_call(request, revision, std::move(batch));
  if (method == "tools/list") return handle_tools_list(request, revision, batch);
  if (method == "logging/setLevel") return handle_set_level(request, batch);
  // One client asks for these whether they are offered or not, and shows an error as a broken server.
  std::string_view result;
  if (method == "ping") result = "{}";
  if (method == "resources/list") result = R"({"resources":[]})";
  if (method == "resources/templates/list") result = R"({"resourceTemplates":[]})";
  if (method == "prompts/list") result = R"({"prompts":[]})";
  if (result.empty()) return answer_error(request, kMethodNotFound, unknown_method(method), batch);
  answer(batch, jsonrpc::result_line(request.id, result));
}

void Session::handle_modern(jsonrpc::Request& request, std::shared_ptr<BatchReply> batch) {
  const std::string_view method = request.method;
  if (method == "tools/call") return handle_tools_call(request, Revision::v2026_07_28, std::move(batch));
  if (method == "tools/list") return handle_tools_list(request, Revision::v2026_07_28, batch);
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

void Session::handle_tools_call(jsonrpc::Request& request, Revision revision, std::shared_ptr<BatchReply> batch) {
  const auto name = string_member(request.params, "name");
  if (!name) return answer_error(request, kInvalidParams, "params.name has to be the name of a tool", batch);
  const Tool* tool = profile_.tools().find(*name);
  if (tool == nullptr)
    return answer_error(request, kInvalidParams, "unknown tool: " + std::string(name->substr(0, 100)), batch);

  bj::value& arguments = request.params.get_object()["arguments"];
  if (arguments.is_null()) arguments.emplace_object();
  if (!arguments.is_object()) {
    const ToolOutcome bad{"arguments: send a JSON object with the named arguments", {}, true, false};
    return answer(batch, jsonrpc::result_line(request.id, profile_.tool_result(bad, revision)));
  }
  auto call = std::make_shared<Call>(std::move(arguments));
  call->id = std::move(request.id);
  call->revision = revision;
  call->tool = tool;
  call->progress_token = read_progress_token(request.params.get_object());
  call->batch = std::move(batch);
  admit(std::move(call));
}

void Session::handle_extension(jsonrpc::Request& request, const ExtensionMethod& method,
                               std::shared_ptr<BatchReply> batch) {
  std::string token = read_progress_token(request.params.get_object());
  request.params.get_object().erase("_meta");  // of the transport, no argument
  auto call = std::make_shared<Call>(std::move(request.params));
  call->id = std::move(request.id);
  call->revision = kLatestLegacy;
  call->method = &method;
  call->progress_token = std::move(token);
  call->batch = std::move(batch);
  admit(std::move(call));
}

std::string Session::run_extension(const Call& call, ToolContext& context) {
  std::string problem;
  int code = jsonrpc::kInternalError;
  try {
    auto result = (*call.method)(bj::serialize(call.params), context);
    if (result) return jsonrpc::result_line(call.id, *result);
    problem = result.error().message();
    if (result.error().is(Errc::invalid_argument) || result.error().is(Errc::not_found)) code = kInvalidParams;
  } catch (const std::exception& e) {
    problem = std::string("internal error: ") + e.what();
  }
  if (code == jsonrpc::kInternalError) profile_.log_failure(problem);
  return jsonrpc::error_line(call.id, code, problem);
}

void Session::handle_listen(const jsonrpc::Request& request) {
  const bj::value* wanted = member(request.params, "notifications");
  if (wanted == nullptr || !wanted->is_object())
    return answer_error(request, kInvalidParams, "params.notifications has to be an object", nullptr);
  if (subscriptions_.size() >= profile_.limits().max_subscriptions)
    return answer_error(request, kInvalidRequest, "too many subscriptions on this connection", nullptr);
  SubscriptionFilter filter;
  const bj::value* tools = wanted->get_object().if_contains("toolsListChanged");
  filter.tools_list_changed = tools != nullptr && tools->is_bool() && tools->get_bool();
  subscriptions_.emplace(request.id, filter);
  std::string params = R"({"notifications":)";
  params.append(filter.tools_list_changed ? R"({"toolsListChanged":true})" : "{}")
      .append(R"(,"_meta":{"io.modelcontextprotocol/subscriptionId":)")
      .append(request.id)
      .append("}}");
  transport_->write_line(jsonrpc::notification_line("notifications/subscriptions/acknowledged", params));
}

void Session::handle_cancelled(const jsonrpc::Notification& notification) {
  const bj::value* id = member(notification.params, "requestId");
  if (id == nullptr) return;
  const std::string key = jsonrpc::id_text(*id);
  if (subscriptions_.erase(key) > 0) return;
  if (const auto it = in_flight_.find(key); it != in_flight_.end()) cancel(std::shared_ptr<Call>(it->second));
}

}  // namespace memd::mcp
