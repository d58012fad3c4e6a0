#include "adapters/cline/wrappers.hpp"

#include "adapters/json/json_text.hpp"

#include <algorithm>
#include <array>

namespace memd::cline {
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
    if (!closed) end = text.size();  // cut off
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

namespace {

// A heading that starts at `begin`, at the start of a line; its end, or kNone.
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
  constexpr std::string_view kExit = "xit code: ";
  const auto at = result.substr(0, 400).find(kExit);
  return at != kNone && at + kExit.size() < result.size() && result[at + kExit.size()] != '0' &&
         result.starts_with("Command");
}

}  // namespace memd::cline
