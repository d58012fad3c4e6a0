#include "adapters/tool_calls/tool_input.hpp"

#include "adapters/json/json_text.hpp"
#include "adapters/tool_calls/patch_text.hpp"
#include "adapters/tool_calls/recorded_edits.hpp"
#include "adapters/tool_calls/todo_input.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/command_purpose.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <vector>

namespace memd::tool_calls {

using namespace json;  // NOLINT(google-build-using-namespace): the whole folder reads JSON

namespace {

constexpr std::size_t kSummaryLimit = 160;
constexpr std::size_t kPromptLimit = 500;
constexpr std::size_t kOtherValueLimit = 300;

// Synonymous names are adjacent, the most specific first.
enum class In : std::uint8_t {
  command,
  cmd,
  description,
  explanation,
  file_path,
  notebook_path,
  lsp_path,
  target_file,
  absolute_path,
  relative_path,
  path,
  directory,
  directory_path,
  dir_path,
  pattern,
  regex,
  glob_pattern,
  query,
  search_term,
  url,
  prompt,
  task,
  skill,
  subject,
  operation,
  subagent_type,
  glob,
  args
};
constexpr std::array<std::string_view, 28> kInputNames{"command",       "cmd",
                                                       "description",   "explanation",
                                                       "file_path",     "notebook_path",
                                                       "filePath",      "target_file",
                                                       "absolute_path", "relative_workspace_path",
                                                       "path",          "target_directory",
                                                       "directoryPath", "dir_path",
                                                       "pattern",       "regex",
                                                       "glob_pattern",  "query",
                                                       "search_term",   "url",
                                                       "prompt",        "task",
                                                       "skill",         "subject",
                                                       "operation",     "subagent_type",
                                                       "glob",          "args"};
constexpr KeyTable<kInputNames.size()> kInputTable{kInputNames};
// File contents. Indexing them would produce the same hits over and over.
constexpr std::array<std::string_view, 17> kContents{
    "content",   "old_string", "new_string", "new_source", "edits",   "plan",    "contents", "patch",   "diff",
    "code_edit", "oldString",  "newString",  "file_text",  "old_str", "new_str", "old_text", "new_text"};

// Keys that are neither searched for nor shown in the summary.
enum class More : std::uint8_t { workdir, working_directory, cwd, run_in_background, is_background };
constexpr std::array<std::string_view, 5> kMoreNames{"workdir", "working_directory", "cwd", "run_in_background",
                                                     "is_background"};
constexpr KeyTable<kMoreNames.size()> kMoreTable{kMoreNames};

// Keys of tools that take several inputs at once: each a string or an object with one of the names above.
enum class Many : std::uint8_t { commands, files, file_paths, paths, queries, requests };
constexpr std::array<std::string_view, 6> kManyNames{"commands", "files", "file_paths", "paths", "queries", "requests"};
constexpr KeyTable<kManyNames.size()> kManyTable{kManyNames};

struct Input {
  Tokens<kInputNames.size()> tokens;
  Tokens<kMoreNames.size()> more;
  std::string_view first_other;  // first string under another key
  std::string command;           // value of "command" or "cmd", a string or an argument list
  std::vector<std::string> commands;
  std::vector<std::string> paths;
  std::vector<std::string> others;  // queries, addresses
  std::string_view operator[](In key) const { return tokens[static_cast<std::size_t>(key)]; }
  std::string_view operator[](More key) const { return more[static_cast<std::size_t>(key)]; }
};

std::string relative_to(std::string_view path, std::string_view directory) {
  if (!directory.empty() && path.size() > directory.size() && path.starts_with(directory) &&
      (path[directory.size()] == '/' || path[directory.size()] == '\\'))
    path.remove_prefix(directory.size() + 1);
  return std::string(path);
}

std::string_view path_token(const Input& input) {
  for (const In key : {In::file_path, In::notebook_path, In::lsp_path, In::target_file, In::absolute_path,
                       In::relative_path, In::path, In::directory, In::directory_path, In::dir_path})
    if (is_string(input[key])) return input[key];
  return {};
}

// Reads one of several inputs: "make test", {"command": "make", "args": ["test"]}, {"path": "a.txt", …}.
bool read_one(TextReader& r, od::value& value, std::string& out) {
  const auto token = token_of(value);
  if (is_string(token)) {
    out = r.text(token);
    return true;
  }
  od::object object;
  if (!token.starts_with('{') || value.get_object().get(object)) return true;
  std::string arguments;
  const bool whole = for_each_field(object, [&](std::string_view key, od::value& field) {
    const std::size_t known = kInputTable.find(key);
    const auto inner = token_of(field);
    if (known == static_cast<std::size_t>(In::args) && inner.starts_with('[')) {
      od::array words;
      if (field.get_array().get(words)) return false;
      arguments = command_line_of(r, words);
    } else if (known < kInputNames.size() && is_string(inner) && out.empty()) {
      out = r.text(inner);
    }
    return true;
  });
  if (!arguments.empty()) out.append(" ").append(arguments);
  return whole;
}

// Adds an input to those that `key` of kManyNames holds.
bool add_one(TextReader& r, std::size_t key, od::value& value, Input& input) {
  auto& list = key == static_cast<std::size_t>(Many::commands)  ? input.commands
               : key >= static_cast<std::size_t>(Many::queries) ? input.others
                                                                : input.paths;
  std::string one;
  if (!read_one(r, value, one)) return false;
  if (!one.empty()) list.push_back(std::move(one));
  return true;
}

bool read_list(TextReader& r, std::size_t key, od::array& elements, Input& input) {
  return for_each_element(elements, [&](od::value& element, std::size_t) { return add_one(r, key, element, input); });
}

// Reads the value of one of kManyNames: a list, or a single input.
bool read_many(TextReader& r, std::size_t key, od::value& value, Input& input) {
  if (!token_of(value).starts_with('[')) return add_one(r, key, value, input);
  od::array elements;
  return !value.get_array().get(elements) && read_list(r, key, elements, input);
}

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
  std::string out;
  for (const auto& part : parts)
    out.append(out.empty() ? "" : between).append(part);
  return out;
}

std::string summarize(TextReader& r, const Event& call, const Input& input, std::optional<FileAccess> access) {
  const std::string path = relative_to(r.text(path_token(input)), call.cwd);
  const auto line = [&](std::string_view token) { return one_line(r.text(token, 4 * kSummaryLimit), kSummaryLimit); };
  const std::string& tool = call.tool;
  if (!input.command.empty())
    return tool + ": " + one_line(utf8_prefix(input.command, 4 * kSummaryLimit), kSummaryLimit);
  const bool whole_file = access == FileAccess::read || access == FileAccess::modified;
  for (const In key : {In::pattern, In::regex, In::glob_pattern})
    if (is_string(input[key]) && !whole_file)
      return tool + " \"" + line(input[key]) + "\"" + (path.empty() ? "" : " in " + one_line(path, kSummaryLimit));
  if (!path.empty())
    return tool + (is_string(input[In::operation]) ? " " + line(input[In::operation]) : "") + " " +
           one_line(path, kSummaryLimit);
  if (!input.paths.empty())
    return tool + " " + one_line(relative_to(input.paths.front(), call.cwd), kSummaryLimit) +
           (input.paths.size() > 1 ? " and " + std::to_string(input.paths.size() - 1) + " more" : "");
  if (!input.others.empty()) return tool + ": " + one_line(joined(input.others, ", "), kSummaryLimit);
  if (is_string(input[In::subagent_type]))
    return tool + " (" + line(input[In::subagent_type]) + "): " + line(input[In::description]);
  for (const In key : {In::description, In::query, In::search_term, In::url, In::skill, In::subject, In::pattern,
                       In::prompt, In::task})
    if (is_string(input[key])) return tool + ": " + line(input[key]);
  return is_string(input.first_other) ? tool + ": " + line(input.first_other) : tool;
}

std::string directory_of(TextReader& r, const Input& input) {
  for (const std::string_view token : {input[More::workdir], input[More::working_directory], input[More::cwd],
                                       input[In::dir_path], input[In::directory]})
    if (is_string(token)) return r.text(token);
  return {};
}

void append_readable(TextReader& r, std::string_view key, od::value& value, std::string& out) {
  out.append(out.empty() ? "" : "\n").append(key).append(": ");
  const auto token = token_of(value);
  if (is_string(token)) {
    r.append_text(token, out);
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

// Sets the fields that depend on the whole input.
void take_input(TextReader& r, Input& input, std::optional<FileAccess> access, Event& call) {
  for (const auto* list : {&input.commands, &input.paths, &input.others})
    for (const auto& one : *list) {
      const std::size_t left = kSearchTextLimit - std::min(kSearchTextLimit, call.search_text.size());
      if (left > 0) call.search_text.append(call.search_text.empty() ? "" : "\n").append(utf8_prefix(one, left));
    }
  if (input.command.empty()) input.command = joined(input.commands, " && ");

  call.summary = summarize(r, call, input, access);
  if (access && !path_token(input).empty()) call.files.push_back({r.text(path_token(input)), *access, 0, 0});
  if (access)
    for (auto& path : input.paths)
      call.files.push_back({std::move(path), *access, 0, 0});
  const bool stored = r.detail() == Detail::stored;
  if (!stored || !runs_commands(call.tool)) {
    call.is_test = runs_tests(input.command);
    return;
  }
  if (input.commands.empty()) input.commands.push_back(std::move(input.command));
  for (const auto& line : input.commands)
    add_command(call, line, directory_of(r, input));
  if (!call.facts.commands.empty())
    call.facts.commands.back().in_background =
        is_true(input[More::run_in_background]) || is_true(input[More::is_background]);
}

// Reads input that is no object: commands of a shell, files of a reader, each alone or in a list.
bool read_bare_input(TextReader& r, od::value& value, std::optional<FileAccess> access, Event& call) {
  const auto token = token_of(value);
  std::string_view raw = token;
  od::array list;
  Input input;
  const bool names_files = access && *access != FileAccess::modified;  // an edit's text may be a patch
  const Many kind = runs_commands(call.tool) ? Many::commands : names_files ? Many::files : Many::queries;
  if (token.starts_with('[')) {
    if (value.get_array().get(list) || list.raw_json().get(raw)) return false;
    if (list.reset().error()) return false;
  }
  call.input_hash = hash_combine(hash64(call.tool), hash64(trimmed(raw)));
  if (!token.starts_with('[') && !is_string(token)) return true;
  if (r.detail() == Detail::full) {
    call.text = is_string(token) ? r.text(token) : std::string(trimmed(raw));
    return true;
  }
  const bool whole = token.starts_with('[') ? read_list(r, static_cast<std::size_t>(kind), list, input)
                                            : read_many(r, static_cast<std::size_t>(kind), value, input);
  if (whole) take_input(r, input, access, call);
  return whole;
}

}  // namespace

std::string command_line_of(TextReader& r, od::array& arguments) {
  std::vector<std::string> words;
  const bool whole = for_each_element(arguments, [&](od::value& value, std::size_t) {
    words.push_back(r.text(token_of(value)));
    return true;
  });
  if (!whole) return {};
  const auto is_shell = [](std::string_view word) {
    return word.ends_with("bash") || word.ends_with("sh") || word.ends_with("zsh");
  };
  if (words.size() == 3 && is_shell(words[0]) && words[1].starts_with('-')) return words[2];
  std::string line;
  for (const auto& word : words)
    line.append(line.empty() ? "" : " ").append(word);
  return line;
}

bool runs_commands(std::string_view tool) {
  constexpr std::array<std::string_view, 5> kParts{"bash", "shell", "terminal", "exec", "command"};
  const std::string low = ascii::lowered(tool);
  const auto has = [&](std::string_view part) { return low.find(part) != std::string::npos; };
  return std::any_of(kParts.begin(), kParts.end(), has) && !has("output") && !has("kill");
}

void add_command(Event& call, std::string_view line, std::string_view directory) {
  if (trimmed(line).empty()) return;
  ShellCommand& command = call.facts.commands.emplace_back();
  command.purpose = purpose_of(line);
  call.is_test |= command.purpose == CommandPurpose::test;
  command.line = utf8_prefix(line, kCommandLineLimit);
  command.is_whole = command.line.size() == line.size();
  command.directory = directory;
}

bool read_tool_input(TextReader& r, od::value& value, AccessOf access_of, Event& call) {
  call.summary = call.tool;
  od::object object;
  std::string_view raw;
  if (value.get_object().get(object)) return read_bare_input(r, value, access_of(call.tool), call);
  if (object.raw_json().get(raw)) return false;
  call.input_hash = hash_combine(hash64(call.tool), hash64(trimmed(raw)));
  if (!restart(object)) return false;

  Input input;
  TodoInput todos(call.tool);
  const auto note_text = [&](std::size_t known, std::string_view token) {
    if (call.search_text.size() >= kSearchTextLimit) return;
    const bool other = known == kInputNames.size();
    if (other && input.first_other.empty()) input.first_other = token;
    if (other && token.size() > kOtherValueLimit) return;
    if (!call.search_text.empty()) call.search_text.push_back('\n');
    const std::size_t left = kSearchTextLimit - std::min(kSearchTextLimit, call.search_text.size());
    const bool prompt = known == static_cast<std::size_t>(In::prompt);
    r.append_text(token, call.search_text, prompt ? std::min(left, kPromptLimit) : left);
  };
  const bool whole = for_each_field(object, [&](std::string_view key, od::value& field) {
    const std::size_t known = kInputTable.find(key);
    const auto token = token_of(field);
    if (known < kInputNames.size()) input.tokens[known] = token;
    if (const auto more = kMoreTable.find(key); more < kMoreNames.size()) input.more[more] = token;
    const bool content = std::find(kContents.begin(), kContents.end(), key) != kContents.end();
    const std::size_t many = kManyTable.find(key);
    if (is_string(token) && !content && many == kManyNames.size()) note_text(known, token);
    const bool command = known == static_cast<std::size_t>(In::command) || known == static_cast<std::size_t>(In::cmd);
    if (command && is_string(token)) input.command = r.text(token);
    if (r.detail() == Detail::full) {
      append_readable(r, key, field, call.text);
    } else if (command && token.starts_with('[')) {
      od::array arguments;
      if (field.get_array().get(arguments)) return false;
      input.command = command_line_of(r, arguments);
      call.search_text.append(call.search_text.empty() ? "" : "\n")
          .append(utf8_prefix(input.command, kSearchTextLimit));
    } else if (many < kManyNames.size()) {
      return read_many(r, many, field, input);
    } else {
      return todos.read_field(r, key, token, field);
    }
    return true;
  });
  if (!whole) return false;
  if (r.detail() == Detail::stored) call.facts.todos = std::move(todos).finish();
  take_input(r, input, access_of(call.tool), call);
  return true;
}

namespace {

// Counts the changed lines. A replacement often repeats lines at its ends.
void count_lines(const EditHunk& hunk, FileTouch& file) {
  std::vector<std::string_view> before;
  std::vector<std::string_view> after;
  const auto count = [&] {
    const auto [b, a] = std::mismatch(before.begin(), before.end(), after.begin(), after.end());
    const auto [b_end, a_end] =
        std::mismatch(before.rbegin(), std::make_reverse_iterator(b), after.rbegin(), std::make_reverse_iterator(a));
    file.lines_removed += static_cast<std::int32_t>(b_end.base() - b);
    file.lines_added += static_cast<std::int32_t>(a_end.base() - a);
    before.clear();
    after.clear();
  };
  for (std::string_view rest = hunk.text; !rest.empty();) {
    const auto line = next_line(rest);
    if (!line.starts_with('+') && !after.empty()) count();
    if (line.starts_with('-')) before.push_back(line.substr(1));
    if (line.starts_with('+')) after.push_back(line.substr(1));
    if (line.starts_with(' ')) count();
  }
  count();
}

}  // namespace

std::string absolute_path(std::string_view cwd, std::string_view path) {
  const bool absolute =
      path.starts_with('/') || path.starts_with('~') || path.starts_with('\\') || (path.size() > 1 && path[1] == ':');
  if (absolute || cwd.empty() || path.empty()) return std::string(path);
  std::string out(cwd);
  if (out.back() != '/' && out.back() != '\\') out.push_back('/');
  while (path.starts_with("./"))
    path.remove_prefix(2);
  return out.append(path);
}

void add_edits(od::object& object, std::string_view key, Event& call) {
  od::value value;
  od::object input;
  std::string_view json;
  if (!seek(object, key, value)) return;
  json = token_of(value);  // a patch may be the whole input
  if (!is_string(json) && (value.get_object().get(input) || input.raw_json().get(json))) return;
  add_edits(json, call);
}

void add_edits(std::string_view json, Event& call) {
  for (const RecordedEdit& edit : recorded_edits(json)) {
    const std::string path = absolute_path(call.cwd, edit.path);
    auto file = std::find_if(call.files.begin(), call.files.end(), [&](const FileTouch& f) { return f.path == path; });
    if (file == call.files.end()) file = call.files.insert(file, {path, FileAccess::modified, 0, 0});
    for (const EditHunk& hunk : edit.hunks)
      count_lines(hunk, *file);
  }
}

void read_tool_input_text(TextReader& r, std::string_view text, AccessOf access_of, Event& call) {
  std::string padded(text);
  padded.resize(text.size() + simdjson::SIMDJSON_PADDING, ' ');
  od::parser parser;
  od::document document;
  od::value value;
  const Event before = call;
  if (trimmed(text).starts_with('{') && !parser.iterate(padded.data(), text.size(), padded.size()).get(document) &&
      !document.get_value().get(value) && read_tool_input(r, value, access_of, call))
    return;
  call = before;
  call.summary = call.tool + ": " + one_line(utf8_prefix(text, 4 * kSummaryLimit), kSummaryLimit);
  call.search_text = utf8_prefix(text, kSearchTextLimit);
  call.input_hash = hash_combine(hash64(call.tool), hash64(trimmed(text)));
  if (r.detail() == Detail::full) call.text = text;
}

}  // namespace memd::tool_calls
