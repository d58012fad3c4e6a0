#include "adapters/cline/model_text.hpp"

#include "adapters/json/json_access.hpp"
#include "adapters/json/json_text.hpp"
#include "adapters/json/json_writer.hpp"
#include "adapters/names.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace memd::cline {

// Names of tools.

namespace {

using Pair = std::pair<std::string_view, std::string_view>;
constexpr std::array<Pair, 33> kNames{{
    {"editedExistingFile", "replace_in_file"},
    {"appliedDiff", "apply_diff"},
    {"newFileCreated", "write_to_file"},
    {"fileDeleted", "delete_file"},
    {"insertContent", "insert_content"},
    {"searchAndReplace", "search_and_replace"},
    {"readFile", "read_file"},
    {"listFiles", "list_files"},
    {"listFilesTopLevel", "list_files"},
    {"listFilesRecursive", "list_files"},
    {"viewSourceCodeDefinitionsTopLevel", "list_code_definition_names"},
    {"listCodeDefinitionNames", "list_code_definition_names"},
    {"searchFiles", "search_files"},
    {"codebaseSearch", "codebase_search"},
    {"fetchInstructions", "fetch_instructions"},
    {"switchMode", "switch_mode"},
    {"newTask", "new_task"},
    {"finishTask", "attempt_completion"},
    {"webFetch", "web_fetch"},
    {"webSearch", "web_search"},
    {"useSkill", "use_skill"},
    {"summarizeTask", "summarize_task"},
    {"updateTodoList", "update_todo_list"},
    {"generateImage", "generate_image"},
    {"runSlashCommand", "run_slash_command"},
    {"imageGenerated", "generate_image"},
    {"command", "execute_command"},
    {"use_mcp_server", "use_mcp_tool"},
    {"browser_action_launch", "browser_action"},
    {"browser_action", "browser_action"},
    {"use_subagents", "use_subagents"},
    {"access_mcp_resource", "access_mcp_resource"},
    {"skill", "skill"},
}};

constexpr Names kWriting(
    "write_to_file replace_in_file apply_diff insert_content apply_patch edit_file edit search_and_replace "
    "search_replace delete_file write_file editor");
constexpr Names kTalk(
    "attempt_completion ask_followup_question plan_mode_respond plan_mode_response act_mode_respond focus_chain "
    "generate_explanation condense");

}  // namespace

std::string_view model_tool_name(std::string_view ui_name) {
  for (const auto& [ui, model] : kNames)
    if (ui == ui_name) return model;
  return ui_name;
}

bool may_show(std::string_view shown, std::string_view model_name) {
  if (shown == model_name) return true;
  if (kWriting.has(shown)) return kWriting.has(model_name);
  if (shown == "use_mcp_tool")
    return model_name == "access_mcp_resource" || model_name.find("mcp") != std::string_view::npos;
  if (shown == "list_files") return model_name == "list_code_definition_names";
  return false;
}

bool is_talk(std::string_view model_name) { return kTalk.has(model_name); }

std::optional<FileAccess> access_of(std::string_view model_name) {
  if (kWriting.has(model_name)) return FileAccess::modified;
  if (model_name == "read_file" || model_name == "read_files") return FileAccess::read;
  if (model_name == "list_files" || model_name == "search_files" || model_name == "list_code_definition_names" ||
      model_name == "codebase_search" || model_name == "search_codebase")
    return FileAccess::referenced;
  return std::nullopt;
}

// The author of a text.

namespace {

constexpr std::size_t kNone = std::string_view::npos;
constexpr std::size_t kHeadingLimit = 8192;

// Finds "<name ...>inner</name>" from `at` on.
struct Tag {
  std::size_t begin = kNone;
  std::size_t end = 0;
  std::string_view attributes;
  std::string_view inner;
};
Tag find_tag(std::string_view text, std::string_view name, std::size_t at = 0) {
  const std::string open = "<" + std::string(name);
  const std::string close = "</" + std::string(name) + ">";
  for (auto begin = text.find(open, at); begin != kNone; begin = text.find(open, begin + 1)) {
    const auto after = begin + open.size();
    if (after >= text.size() || (text[after] != '>' && text[after] != ' ')) continue;
    const auto inner = text.find('>', after);
    if (inner == kNone) return {};
    auto end = text.find(close, inner);
    const bool closed = end != kNone;
    if (!closed) end = text.size();  // truncated
    return {begin, closed ? end + close.size() : end, text.substr(after, inner - after),
            text.substr(inner + 1, end - inner - 1)};
  }
  return {};
}

std::string without_added(std::string_view text) {
  static constexpr std::array<std::string_view, 8> kAdded{
      "environment_details", "explicit_instructions", "file_content",          "folder_content",
      "url_content",         "mode_notice",           "workspace_diagnostics", "system-reminder"};
  std::string out(text);
  for (const auto name : kAdded)
    for (Tag tag = find_tag(out, name); tag.begin != kNone; tag = find_tag(out, name, tag.begin))
      out.erase(tag.begin, tag.end - tag.begin);
  return out;
}

// Returns whether Cline wrote the text: these are the beginnings and headings of what it tells the model.
bool is_added(std::string_view text) {
  static constexpr std::array<std::string_view, 12> kStarts{
      "[TASK RESUMPTION]",     "[ERROR]",      "# task_progress", "# TODO LIST", "The user denied",
      "[Request interrupted",  "[Continue",    "# Context Usage", "[NOTE]",      "Task was aborted",
      "[Response interrupted", "Current time:"};
  return std::any_of(kStarts.begin(), kStarts.end(), [&](auto start) { return text.starts_with(start); });
}

}  // namespace

Words human_words(std::string_view raw) {
  const std::string text = without_added(raw);
  Words words;
  const auto add = [&](std::string_view inner) {
    inner = json::trimmed(inner);
    if (inner.empty()) return;
    if (!words.text.empty()) words.text.push_back('\n');
    words.text.append(inner);
  };
  bool wrapped = false;
  for (const auto name : {"task", "user_input", "user_message", "feedback", "answer"})
    for (Tag tag = find_tag(text, name); tag.begin != kNone; tag = find_tag(text, name, tag.end)) {
      add(tag.inner);
      wrapped = true;
    }
  if (const Tag tag = find_tag(text, "user_command"); tag.begin != kNone) {
    constexpr std::string_view kSlash = "slash=\"";
    const auto at = tag.attributes.find(kSlash);
    std::string line = "/";
    if (at != kNone) {
      const auto name = tag.attributes.substr(at + kSlash.size());
      line.append(name.substr(0, name.find('"')));
    }
    words.command = true;
    wrapped = true;
    add(line.append(" ").append(json::trimmed(tag.inner)));
  }
  if (wrapped) return words;
  const auto plain = json::trimmed(text);
  std::size_t at = 0;
  TextResult result;
  if (!is_added(plain) && !next_text_result(plain, at, result)) add(plain);
  return words;
}

std::string_view without_changes_flag(std::string_view shown) {
  constexpr std::string_view kFlag = "HAS_CHANGES";
  if (shown.ends_with(kFlag)) shown.remove_suffix(kFlag.size());
  return shown;
}

Said split_thinking(std::string_view text) {
  constexpr std::string_view kOpen = "<thinking>";
  constexpr std::string_view kClose = "</thinking>";
  text = json::trimmed(text);
  if (!text.starts_with(kOpen)) return {{}, text};
  text.remove_prefix(kOpen.size());
  const auto end = text.find(kClose);
  if (end == kNone) return {json::trimmed(text), {}};
  return {json::trimmed(text.substr(0, end)), json::trimmed(text.substr(end + kClose.size()))};
}

// Results that come as text.

namespace {

// Parses a heading at `begin`, the start of a line. Returns its end, or kNone.
std::size_t heading_end(std::string_view text, std::size_t begin, std::string_view& tool) {
  constexpr std::string_view kResult = "] Result:";
  auto at = begin + 1;
  while (at < text.size() && ((text[at] >= 'a' && text[at] <= 'z') || text[at] == '_'))
    ++at;
  tool = text.substr(begin + 1, at - begin - 1);
  if (tool.size() < 3) return kNone;
  if (text.substr(at).starts_with(kResult)) return at + kResult.size();
  if (!text.substr(at).starts_with(" for ")) return kNone;
  const auto end = text.substr(0, begin + kHeadingLimit).find(kResult, at);
  return end == kNone ? kNone : end + kResult.size();
}

std::size_t find_heading(std::string_view text, std::size_t at, std::string_view& tool, std::size_t& end) {
  for (auto begin = text.find('[', at); begin != kNone; begin = text.find('[', begin + 1)) {
    if (begin > 0 && text[begin - 1] != '\n') continue;
    end = heading_end(text, begin, tool);
    if (end != kNone) return begin;
  }
  return kNone;
}

}  // namespace

bool next_text_result(std::string_view text, std::size_t& at, TextResult& out) {
  std::size_t begin = 0;
  if (find_heading(text, at, out.tool, begin) == kNone) return false;
  std::string_view next;
  std::size_t next_begin = 0;
  const auto end =
      std::min({find_heading(text, begin, next, next_begin), text.find("<environment_details>", begin), text.size()});
  out.text = json::trimmed(text.substr(begin, end - begin));
  at = end;
  return true;
}

bool tells_failure(std::string_view result) {
  static constexpr std::array<std::string_view, 9> kStarts{"The tool execution failed",
                                                           "The user denied this operation",
                                                           "Error:",
                                                           "<error>",
                                                           "{\"status\":\"error\"",
                                                           "{\"status\":\"denied\"",
                                                           "Command failed",
                                                           "Error executing",
                                                           "[ERROR]"};
  result = json::trimmed(result);
  if (std::any_of(kStarts.begin(), kStarts.end(), [&](auto start) { return result.starts_with(start); })) return true;
  return exit_code_in(result).value_or(0) != 0;
}

std::optional<std::int32_t> exit_code_in(std::string_view result) {
  constexpr std::size_t kHead = 400;
  result = json::trimmed(result);
  if (!result.starts_with("Command") && !result.starts_with("[Command")) return std::nullopt;
  for (const std::string_view behind : {"xit code: ", "xited with code "})
    if (const auto at = result.substr(0, kHead).find(behind); at != kNone) {
      const auto number = result.substr(at + behind.size());
      if (json::is_number(number)) return static_cast<std::int32_t>(json::integer(number));
    }
  return std::nullopt;
}

// Calls written as XML.

namespace {

constexpr Names kTools(
    "read_file write_to_file replace_in_file apply_diff insert_content search_and_replace execute_command list_files "
    "search_files browser_action use_mcp_tool access_mcp_resource attempt_completion new_task ask_followup_question "
    "plan_mode_respond list_code_definition_names load_mcp_documentation switch_mode fetch_instructions "
    "codebase_search update_todo_list web_fetch edit_file act_mode_respond use_skill");

// Converts "<name>value</name>" children to members of a JSON object.
std::string children(std::string_view inner, std::string& talk) {
  json::ObjectWriter o;
  for (std::size_t at = inner.find('<'); at != kNone; at = inner.find('<', at)) {
    const auto close = inner.find('>', at);
    if (close == kNone) break;
    const auto name = inner.substr(at + 1, close - at - 1);
    if (!json::is_identifier(name)) {
      ++at;
      continue;
    }
    const auto end = inner.find("</" + std::string(name) + ">", close);
    if (end == kNone) break;
    const auto value = json::trimmed(inner.substr(close + 1, end - close - 1));
    o.text(name, value);
    if (name == "result" || name == "question" || name == "response") talk = value;
    at = end + name.size() + 3;
  }
  return std::move(o).finish();
}

}  // namespace

std::vector<XmlCall> xml_calls(std::string_view text) {
  std::vector<XmlCall> calls;
  for (std::size_t at = text.find('<'); at != kNone; at = text.find('<', at)) {
    const auto close = text.find('>', at);
    if (close == kNone) break;
    const auto name = text.substr(at + 1, close - at - 1);
    const auto end = !kTools.has(name) ? kNone : text.find("</" + std::string(name) + ">", close);
    if (end == kNone) {
      ++at;
      continue;
    }
    XmlCall call;
    call.tool = name;
    call.begin = at;
    call.end = at = end + name.size() + 3;
    call.input = children(text.substr(close + 1, end - close - 1), call.talk);
    calls.push_back(std::move(call));
  }
  return calls;
}

std::string xml_call_id(std::string_view item_key, std::size_t n) {
  return std::string(item_key) + "." + std::to_string(n);
}

}  // namespace memd::cline
