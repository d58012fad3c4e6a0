#include "adapters/gemini/tool_call.hpp"

#include "adapters/tool_calls/tool_input.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace memd::gemini {
namespace {

enum : std::size_t { kToolCallId, kName, kStatus, kToolCallTimestamp, kDisplay, kCallKeys };
constexpr KeyTable<kCallKeys> kCallTable{{"id", "name", "status", "timestamp", "resultDisplay"}};

enum : std::size_t { kToolCallOutput, kError, kResponseKeys };
constexpr KeyTable<kResponseKeys> kResponseTable{{"output", "error"}};

enum : std::size_t { kModelAdded, kModelRemoved, kUserAdded, kUserRemoved, kStatKeys };
constexpr KeyTable<kStatKeys> kStatTable{
    {"model_added_lines", "model_removed_lines", "user_added_lines", "user_removed_lines"}};

std::optional<FileAccess> access_of(std::string_view tool) {
  if (tool == "read_file" || tool == "read_many_files") return FileAccess::read;
  if (tool == "write_file" || tool == "replace" || tool == "edit") return FileAccess::modified;
  if (tool == "list_directory" || tool == "glob" || tool == "search_file_content" || tool == "grep_search" ||
      tool == "grep" || tool == "ls")
    return FileAccess::referenced;
  return std::nullopt;
}

struct ResultText {
  std::string text;
  bool error = false;
};

void append_part(std::string& out, std::string_view text) {
  if (text.empty()) return;
  if (!out.empty()) out.push_back('\n');
  out.append(text);
}

// {"output": "…"} or {"error": "…"}; extensions answer with what they like.
void read_response(MessageContext& c, od::object& response, ResultText& out) {
  Tokens<kResponseKeys> tokens;
  if (!collect(response, kResponseTable, tokens)) return;
  out.error |= is_string(tokens[kError]);
  if (is_string(tokens[kToolCallOutput]) || is_string(tokens[kError])) {
    append_part(out.text, c.text(is_string(tokens[kToolCallOutput]) ? tokens[kToolCallOutput] : tokens[kError]));
    return;
  }
  std::string_view raw;
  if (!response.reset().error() && !response.raw_json().get(raw)) append_part(out.text, trimmed(raw));
}

void read_result_part(MessageContext& c, od::value& value, ResultText& out) {
  const auto token = token_of(value);
  if (is_string(token)) return append_part(out.text, c.text(token));
  od::object part;
  if (value.get_object().get(part)) return;
  od::object answer;
  od::object response;
  if (seek_object(part, "functionResponse", answer)) {
    if (seek_object(answer, "response", response)) read_response(c, response, out);
    return;
  }
  od::value text;
  if (seek(part, "text", text))
    append_part(out.text, c.text(token_of(text)));
  else
    append_part(out.text, "[media]");
}

ResultText read_result(MessageContext& c, od::object& entry) {
  ResultText out;
  od::value value;
  od::array parts;
  if (!seek(entry, "result", value)) return out;
  if (!token_of(value).starts_with('[')) {
    read_result_part(c, value, out);
  } else if (!value.get_array().get(parts)) {
    for_each_element(parts, [&](od::value& part, std::size_t) {
      read_result_part(c, part, out);
      return true;
    });
  }
  return out;
}

// What the shell tool says of the exit: "Exit Code: 1", a line of its own.
bool failed_in_shell(std::string_view tool, std::string_view text) {
  constexpr std::string_view name = "Exit Code: ";
  if (tool != "run_shell_command") return false;
  const auto at = text.rfind(name);
  if (at == std::string_view::npos || (at > 0 && text[at - 1] != '\n')) return false;
  return integer(text.substr(at + name.size(), 8)) != 0;
}

void count_lines(od::object& entry, FileTouch& touch) {
  od::object display;
  od::object stat;
  Tokens<kStatKeys> tokens;
  if (!seek_object(entry, "resultDisplay", display) || !seek_object(display, "diffStat", stat) ||
      !collect(stat, kStatTable, tokens))
    return;
  touch.lines_added = static_cast<std::int32_t>(integer(tokens[kModelAdded]) + integer(tokens[kUserAdded]));
  touch.lines_removed = static_cast<std::int32_t>(integer(tokens[kModelRemoved]) + integer(tokens[kUserRemoved]));
}

bool has_ended(std::string_view status) {
  constexpr std::array<std::string_view, 5> under_way{"validating", "scheduled", "awaiting_approval", "executing", ""};
  return std::find(under_way.begin(), under_way.end(), status) == under_way.end();
}

}  // namespace

void read_tool_call(MessageContext& c, od::object& entry, std::size_t block) {
  Tokens<kCallKeys> tokens;
  if (!collect(entry, kCallTable, tokens)) return;
  const std::string_view status = string_body(tokens[kStatus]);
  const std::string call_id = c.text(tokens[kToolCallId]);
  std::vector<FileTouch> files;
  {
    Event& call = c.add(EventKind::tool_call, Role::assistant, block);
    call.tool = c.text(tokens[kName]);
    call.call_id = call_id;
    call.summary = call.tool;
    od::value input;
    if (seek(entry, "args", input)) tool_calls::read_tool_input(c, input, access_of, call);
    files = call.files;
  }
  const std::string tool = c.out().events.back().tool;
  ResultText result = read_result(c, entry);
  if (!has_ended(status) && result.text.empty()) return;

  Event& e = c.add(EventKind::tool_result, Role::tool, block);
  if (const TimeMs ended = time_of(c, tokens[kToolCallTimestamp])) e.time = ended;
  e.call_id = call_id;
  e.is_error = status == "error" || status == "cancelled" || result.error || failed_in_shell(tool, result.text);
  if (status == "cancelled") e.summary = "[cancelled]";
  if (c.detail() == Detail::stored) result.text.resize(utf8_prefix(result.text, kResultTextLimit).size());
  e.text = std::move(result.text);
  if (!e.is_error && !files.empty() && files.front().access == FileAccess::modified) {
    count_lines(entry, files.front());
    e.files.push_back(files.front());
  }
}

}  // namespace memd::gemini
