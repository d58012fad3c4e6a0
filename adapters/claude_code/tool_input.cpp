#include "adapters/claude_code/tool_input.hpp"

#include "adapters/claude_code/json_text.hpp"
#include "adapters/claude_code/test_command.hpp"
#include "schemas/hash.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace memd::claude_code {
namespace {

constexpr std::size_t kSummaryLimit = 160;
constexpr std::size_t kPromptLimit = 500;
constexpr std::size_t kOtherValueLimit = 300;

enum class In : std::uint8_t {
  command,
  description,
  file_path,
  notebook_path,
  lsp_path,
  path,
  pattern,
  query,
  url,
  prompt,
  skill,
  subject,
  operation,
  subagent_type,
  glob,
  args
};
constexpr std::array<std::string_view, 16> kInputNames{
    "command", "description", "file_path", "notebook_path", "filePath",  "path",          "pattern", "query",
    "url",     "prompt",      "skill",     "subject",       "operation", "subagent_type", "glob",    "args"};
constexpr KeyTable<16> kInputTable{kInputNames};
// Contents of files; searching them would find the same text over and over.
constexpr std::array<std::string_view, 8> kContents{"content", "old_string", "new_string", "new_source",
                                                    "edits",   "plan",       "contents",   "patch"};

struct Input {
  Tokens<16> tokens;
  std::string_view first_other;  // first string under another key
  std::string_view operator[](In key) const { return tokens[static_cast<std::size_t>(key)]; }
};

std::string relative_to(std::string_view path, std::string_view directory) {
  if (!directory.empty() && path.size() > directory.size() && path.starts_with(directory) &&
      (path[directory.size()] == '/' || path[directory.size()] == '\\'))
    path.remove_prefix(directory.size() + 1);
  return std::string(path);
}

std::optional<FileAccess> access_of(std::string_view tool) {
  if (tool == "Read" || tool == "NotebookRead" || tool == "LSP") return FileAccess::read;
  if (tool == "Edit" || tool == "Write" || tool == "MultiEdit" || tool == "NotebookEdit") return FileAccess::modified;
  if (tool == "Glob" || tool == "Grep" || tool == "LS") return FileAccess::referenced;
  return std::nullopt;
}

std::string_view path_token(const Input& input) {
  for (const In key : {In::file_path, In::notebook_path, In::lsp_path, In::path})
    if (is_string(input[key])) return input[key];
  return {};
}

std::string summarize(RecordContext& c, const Event& call, const Input& input) {
  const std::string path = relative_to(c.text(path_token(input)), call.cwd);
  const auto line = [&](std::string_view token) { return one_line(c.text(token, 4 * kSummaryLimit), kSummaryLimit); };
  const std::string& tool = call.tool;
  if (is_string(input[In::command])) return tool + ": " + line(input[In::command]);
  if (tool == "Grep" || tool == "Glob")
    return tool + " \"" + line(input[In::pattern]) + "\"" +
           (path.empty() ? "" : " in " + one_line(path, kSummaryLimit));
  if (!path.empty())
    return tool + (is_string(input[In::operation]) ? " " + line(input[In::operation]) : "") + " " +
           one_line(path, kSummaryLimit);
  if (is_string(input[In::subagent_type]))
    return tool + " (" + line(input[In::subagent_type]) + "): " + line(input[In::description]);
  for (const In key : {In::description, In::query, In::url, In::skill, In::subject, In::pattern, In::prompt})
    if (is_string(input[key])) return tool + ": " + line(input[key]);
  return is_string(input.first_other) ? tool + ": " + line(input.first_other) : tool;
}

void append_readable(RecordContext& c, std::string_view key, od::value& value, std::string& out) {
  out.append(out.empty() ? "" : "\n").append(key).append(": ");
  const auto token = token_of(value);
  if (is_string(token)) {
    c.append_text(token, out);
    return;
  }
  od::object object;
  od::array array;
  std::string_view raw;
  if ((token.starts_with('{') && !value.get_object().get(object) && !object.raw_json().get(raw)) ||
      (token.starts_with('[') && !value.get_array().get(array) && !array.raw_json().get(raw)))
    out.append(trimmed(raw));
  else
    out.append(token);
}

}  // namespace

bool read_tool_input(RecordContext& c, od::value& value, Event& call) {
  call.summary = call.tool;
  od::object object;
  if (value.get_object().get(object)) {
    call.input_hash = hash_combine(hash64(call.tool), hash64(token_of(value)));
    return true;
  }
  std::string_view raw;
  if (object.raw_json().get(raw)) return false;
  call.input_hash = hash_combine(hash64(call.tool), hash64(trimmed(raw)));
  if (object.reset().error()) return false;

  Input input;
  const bool whole = for_each_field(object, [&](std::string_view key, od::value& field) {
    const std::size_t known = kInputTable.find(key);
    const auto token = token_of(field);
    if (known < kInputNames.size()) input.tokens[known] = token;
    const bool content = std::find(kContents.begin(), kContents.end(), key) != kContents.end();
    if (is_string(token) && !content && call.search_text.size() < kSearchTextLimit) {
      const bool other = known == kInputNames.size();
      if (other && input.first_other.empty()) input.first_other = token;
      if (!other || token.size() <= kOtherValueLimit) {
        if (!call.search_text.empty()) call.search_text.push_back('\n');
        const std::size_t left = kSearchTextLimit - std::min(kSearchTextLimit, call.search_text.size());
        const bool prompt = known == static_cast<std::size_t>(In::prompt);
        c.append_text(token, call.search_text, prompt ? std::min(left, kPromptLimit) : left);
      }
    }
    if (c.detail() == Detail::full) append_readable(c, key, field, call.text);
    return true;
  });
  if (!whole) return false;

  call.summary = summarize(c, call, input);
  if (const auto access = access_of(call.tool); access && !path_token(input).empty())
    call.files.push_back({c.text(path_token(input)), *access, 0, 0});
  call.is_test = is_string(input[In::command]) && runs_tests(c.text(input[In::command]));
  return true;
}

}  // namespace memd::claude_code
