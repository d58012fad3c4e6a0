#include "adapters/cline/xml_calls.hpp"

#include "adapters/adapter.hpp"
#include "adapters/cline/tool_names.hpp"
#include "adapters/json/json_text.hpp"
#include "adapters/snapshot/item_json.hpp"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <utility>

namespace memd::cline {
namespace {

constexpr std::size_t kXmlCallsNone = std::string_view::npos;
constexpr std::array<std::string_view, 26> kTools{"read_file",
                                                  "write_to_file",
                                                  "replace_in_file",
                                                  "apply_diff",
                                                  "insert_content",
                                                  "search_and_replace",
                                                  "execute_command",
                                                  "list_files",
                                                  "search_files",
                                                  "browser_action",
                                                  "use_mcp_tool",
                                                  "access_mcp_resource",
                                                  "attempt_completion",
                                                  "new_task",
                                                  "ask_followup_question",
                                                  "plan_mode_respond",
                                                  "list_code_definition_names",
                                                  "load_mcp_documentation",
                                                  "switch_mode",
                                                  "fetch_instructions",
                                                  "codebase_search",
                                                  "update_todo_list",
                                                  "web_fetch",
                                                  "edit_file",
                                                  "act_mode_respond",
                                                  "use_skill"};

// "<name>value</name>" children as members of an object.
std::string children(std::string_view inner, std::string& talk) {
  snapshot::ObjectWriter o;
  for (std::size_t at = inner.find('<'); at != kXmlCallsNone; at = inner.find('<', at)) {
    const auto close = inner.find('>', at);
    if (close == kXmlCallsNone) break;
    const auto name = inner.substr(at + 1, close - at - 1);
    if (!json::is_identifier(name)) {
      ++at;
      continue;
    }
    const auto end = inner.find("</" + std::string(name) + ">", close);
    if (end == kXmlCallsNone) break;
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
  for (std::size_t at = text.find('<'); at != kXmlCallsNone; at = text.find('<', at)) {
    const auto close = text.find('>', at);
    if (close == kXmlCallsNone) break;
    const auto name = text.substr(at + 1, close - at - 1);
    const auto end = std::find(kTools.begin(), kTools.end(), name) == kTools.end()
                         ? kXmlCallsNone
                         : text.find("</" + std::string(name) + ">", close);
    if (end == kXmlCallsNone) {
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

std::vector<XmlCall> xml_calls_of_message(std::string_view message) {
  bool replaced = false;
  std::string padded = json::cleaned_json(message, replaced);
  const auto size = padded.size();
  padded.resize(size + kRecordPadding, ' ');
  simdjson::dom::parser parser;
  simdjson::dom::element content;
  std::vector<XmlCall> calls;
  const auto add = [&](std::string_view text) {
    for (auto& call : xml_calls(text))
      if (!is_talk(call.tool)) calls.push_back(std::move(call));
  };
  if (parser.parse(padded.data(), size, false)["content"].get(content)) return calls;
  std::string_view text;
  simdjson::dom::array blocks;
  if (!content.get(text)) add(text);
  if (content.get(blocks)) return calls;
  for (const auto block : blocks)
    if (!block["text"].get(text)) add(text);
  return calls;
}

std::string xml_call_id(std::string_view item_key, std::size_t n) {
  return std::string(item_key) + "." + std::to_string(n);
}

}  // namespace memd::cline
