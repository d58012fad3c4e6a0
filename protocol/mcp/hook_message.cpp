#include "protocol/mcp/hook_message.hpp"

#include "schemas/base/error.hpp"
#include "schemas/base/json_writer.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <initializer_list>

namespace memd {

namespace bj = boost::json;

namespace {

std::string text_of(const bj::object& object, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    const auto* value = object.if_contains(key);
    if (value != nullptr && value->is_string()) return std::string(std::string_view(value->get_string()));
  }
  return {};
}

// Appends all strings of a result, one per line, of long ones beginning and end. Agents nest them in different ways.
void collect(const bj::value& value, std::string& out) {
  constexpr std::size_t kEnough = 16 * 1024;
  if (out.size() > 2 * kEnough) return;
  if (value.is_string()) {
    const std::string_view text = value.get_string();
    out.append(text.substr(0, kEnough));
    if (text.size() > kEnough) out.append(text.substr(std::max(kEnough, text.size() - kEnough)));
    out.append("\n");
  }
  if (value.is_array())
    for (const auto& item : value.get_array())
      collect(item, out);
  if (value.is_object())
    for (const auto& member : value.get_object())
      collect(member.value(), out);
}

bool says_failed(const bj::object& response) {
  const auto* error = response.if_contains("is_error");
  if (error != nullptr && error->is_bool() && error->get_bool()) return true;
  for (const char* key : {"exit_code", "exitCode"}) {
    const auto* code = response.if_contains(key);
    if (code != nullptr && code->is_int64() && code->get_int64() != 0) return true;
  }
  const auto* said = response.if_contains("error");
  return said != nullptr && !said->is_null();
}

}  // namespace

Result<HookInput> parse_hook_input(std::string_view json) {
  boost::system::error_code ec;
  const bj::value parsed = bj::parse(bj::string_view(json.data(), json.size()), ec);
  if (ec || !parsed.is_object()) return Error(Errc::invalid_argument, "the hook's input is no JSON object");
  const bj::object& object = parsed.get_object();
  HookInput out;
  out.event = text_of(object, {"hook_event_name"});
  out.session_id = text_of(object, {"session_id", "conversation_id"});
  out.cwd = text_of(object, {"cwd"});
  out.source = text_of(object, {"source"});
  out.prompt = text_of(object, {"prompt"});
  out.command = text_of(object, {"command"});
  if (out.cwd.empty())
    if (const auto* roots = object.if_contains("workspace_roots");
        roots != nullptr && roots->is_array() && !roots->get_array().empty() && roots->get_array()[0].is_string())
      out.cwd = std::string_view(roots->get_array()[0].get_string());
  if (const auto* input = object.if_contains("tool_input"); input != nullptr && input->is_object()) {
    const bj::object& arguments = input->get_object();
    if (out.command.empty()) out.command = text_of(arguments, {"command"});
  }
  for (const char* key : {"error", "error_message"})
    if (const auto* error = object.if_contains(key); error != nullptr && !error->is_null()) {
      collect(*error, out.output);
      out.failed = true;
    }
  for (const char* key : {"tool_response", "tool_output", "output"})
    if (const auto* response = object.if_contains(key); response != nullptr) {
      collect(*response, out.output);
      out.failed = out.failed || (response->is_object() && says_failed(response->get_object()));
    }
  return out;
}

std::string hook_output(std::string_view event, std::string_view context) {
  std::string out;
  json::Writer w(out);
  w.begin_object();
  if (!event.empty() && event.front() >= 'a' && event.front() <= 'z') {
    w.member("additional_context", context);
    w.end_object();
    return out;
  }
  w.key("hookSpecificOutput");
  w.begin_object();
  w.member("hookEventName", event);
  w.member("additionalContext", context);
  w.end_object();
  w.end_object();
  return out;
}

}  // namespace memd
