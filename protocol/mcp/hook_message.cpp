#include "protocol/mcp/hook_message.hpp"

#include "schemas/json_writer.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

namespace memd {

namespace bj = boost::json;

Result<HookInput> parse_hook_input(std::string_view json) {
  boost::system::error_code ec;
  const bj::value parsed = bj::parse(bj::string_view(json.data(), json.size()), ec);
  if (ec || !parsed.is_object()) return Error(Errc::invalid_argument, "the hook's input is no JSON object");
  const bj::object& object = parsed.get_object();
  const auto text = [&](std::string_view key) {
    const auto* value = object.if_contains(key);
    return value != nullptr && value->is_string() ? std::string(std::string_view(value->get_string())) : std::string();
  };
  return HookInput{text("hook_event_name"), text("session_id"), text("cwd"), text("source")};
}

std::string hook_output(std::string_view event, std::string_view context) {
  std::string out;
  json::Writer w(out);
  w.begin_object();
  w.key("hookSpecificOutput");
  w.begin_object();
  w.member("hookEventName", event);
  w.member("additionalContext", context);
  w.end_object();
  w.end_object();
  return out;
}

}  // namespace memd
