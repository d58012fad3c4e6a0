#include "adapters/tool_calls/tool_input.hpp"

#include "adapters/json/json_text.hpp"
#include "adapters/tool_calls/patch_text.hpp"
#include "adapters/tool_calls/recorded_edits.hpp"
#include "adapters/tool_calls/todo_input.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/base/utf8.hpp"
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
MEMD_KEYS(InputKeys, command, cmd, description, explanation, file_path, notebook_path, filePath, target_file,
          absolute_path, relative_workspace_path, path, target_directory, directoryPath, dir_path, pattern, regex,
          glob_pattern, query, search_term, url, prompt, task, skill, subject, operation, subagent_type, glob, args);
constexpr std::size_t kOther = InputKeys::kTable.size();  // a key that is none of these

// File contents. Indexing them would produce the same hits over and over.
constexpr Names kContents(
    "content old_string new_string new_source edits plan contents patch diff code_edit oldString newString file_text "
    "old_str new_str old_text new_text");

// Keys that are neither searched for nor shown in the summary.
MEMD_KEYS(MoreKeys, workdir, working_directory, cwd, run_in_background, is_background);

// Keys of tools that take several inputs at once: each a string or an object with one of the names above.
constexpr Names kCommandLists("commands");
constexpr Names kPathLists("files file_paths paths");
constexpr Names kOtherLists("queries requests");
bool takes_many(std::string_view key) { return kCommandLists.has(key) || kPathLists.has(key) || kOtherLists.has(key); }

struct Input {
  InputKeys keys;
  MoreKeys more;
  std::string_view first_other;  // first string under another key
  std::string command;           // value of "command" or "cmd", a string or an argument list
  std::vector<std::string> commands;
  std::vector<std::string> paths;
  std::vector<std::string> others;  // queries, addresses
};

std::string relative_to(std::string_view path, std::string_view directory) {
  if (!directory.empty() && path.size() > directory.size() && path.starts_with(directory) &&
      (path[directory.size()] == '/' || path[directory.size()] == '\\'))
    path.remove_prefix(directory.size() + 1);
  return std::string(path);
}

std::string_view path_token(const Input& input) {
  const InputKeys& k = input.keys;
  for (const auto token : {k.file_path, k.notebook_path, k.filePath, k.target_file, k.absolute_path,
                           k.relative_workspace_path, k.path, k.target_directory, k.directoryPath, k.dir_path})
    if (is_string(token)) return token;
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
    const auto inner = token_of(field);
    if (key == "args" && inner.starts_with('[')) {
      od::array words;
      if (field.get_array().get(words)) return false;
      arguments = command_line_of(r, words);
    } else if (InputKeys::kTable.find(key) != kOther && is_string(inner) && out.empty()) {
      out = r.text(inner);
    }
    return true;
  });
  if (!arguments.empty()) out.append(" ").append(arguments);
  return whole;
}

// Adds an input to those that a key of several holds.
bool add_one(TextReader& r, std::string_view key, od::value& value, Input& input) {
  auto& list = kCommandLists.has(key) ? input.commands : kPathLists.has(key) ? input.paths : input.others;
  std::string one;
  if (!read_one(r, value, one)) return false;
  if (!one.empty()) list.push_back(std::move(one));
  return true;
}

bool read_list(TextReader& r, std::string_view key, od::array& elements, Input& input) {
  return for_each_element(elements, [&](od::value& element, std::size_t) { return add_one(r, key, element, input); });
}

// Reads the value of such a key: a list, or a single input.
bool read_many(TextReader& r, std::string_view key, od::value& value, Input& input) {
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
  const InputKeys& k = input.keys;
  for (const auto token : {k.pattern, k.regex, k.glob_pattern})
    if (is_string(token) && !whole_file)
      return tool + " \"" + line(token) + "\"" + (path.empty() ? "" : " in " + one_line(path, kSummaryLimit));
  if (!path.empty())
    return tool + (is_string(k.operation) ? " " + line(k.operation) : "") + " " + one_line(path, kSummaryLimit);
  if (!input.paths.empty())
    return tool + " " + one_line(relative_to(input.paths.front(), call.cwd), kSummaryLimit) +
           (input.paths.size() > 1 ? " and " + std::to_string(input.paths.size() - 1) + " more" : "");
  if (!input.others.empty()) return tool + ": " + one_line(joined(input.others, ", "), kSummaryLimit);
  if (is_string(k.subagent_type)) return tool + " (" + line(k.subagent_type) + "): " + line(k.description);
  for (const auto token :
       {k.description, k.query, k.search_term, k.url, k.skill, k.subject, k.pattern, k.prompt, k.task})
    if (is_string(token)) return tool + ": " + line(token);
  return is_string(input.first_other) ? tool + ": " + line(input.first_other) : tool;
}

std::string directory_of(TextReader& r, const Input& input) {
  for (const auto token : {input.more.workdir, input.more.working_directory, input.more.cwd, input.keys.dir_path,
                           input.keys.target_directory})
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
        is_true(input.more.run_in_background) || is_true(input.more.is_background);
}

// Reads input that is no object: commands of a shell, files of a reader, each alone or in a list.
bool read_bare_input(TextReader& r, od::value& value, std::optional<FileAccess> access, Event& call) {
  const auto token = token_of(value);
  std::string_view raw = token;
  od::array list;
  Input input;
  const bool names_files = access && *access != FileAccess::modified;  // an edit's text may be a patch
  const std::string_view kind = runs_commands(call.tool) ? "commands" : names_files ? "files" : "queries";
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
  const bool whole = token.starts_with('[') ? read_list(r, kind, list, input) : read_many(r, kind, value, input);
  if (whole) take_input(r, input, access, call);
  return whole;
}

}  // namespace

std::string command_line_of(TextReader& r, od::array& arguments) {
  std::vector<std::string> words;
  const bool whole =
      for_each_element(arguments, [&](od::value& value, std::size_t) { words.push_back(r.text(token_of(value))); });
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

bool read_tool_input(TextReader& r, od::value& value, const AccessOf& access_of, Event& call) {
  call.summary = call.tool;
  od::object object;
  std::string_view raw;
  if (value.get_object().get(object)) return read_bare_input(r, value, access_of(call.tool), call);
  if (object.raw_json().get(raw)) return false;
  call.input_hash = hash_combine(hash64(call.tool), hash64(trimmed(raw)));
  if (!restart(object)) return false;

  Input input;
  TodoInput todos(call.tool);
  const auto note_text = [&](std::string_view key, bool other, std::string_view token) {
    if (call.search_text.size() >= kSearchTextLimit) return;
    if (other && input.first_other.empty()) input.first_other = token;
    if (other && token.size() > kOtherValueLimit) return;
    if (!call.search_text.empty()) call.search_text.push_back('\n');
    const std::size_t left = kSearchTextLimit - std::min(kSearchTextLimit, call.search_text.size());
    r.append_text(token, call.search_text, key == "prompt" ? std::min(left, kPromptLimit) : left);
  };
  const bool whole = for_each_field(object, [&](std::string_view key, od::value& field) {
    const std::size_t known = InputKeys::kTable.find(key);
    const auto token = token_of(field);
    if (known != kOther) *input.keys.members()[known] = token;
    keep(input.more, key, field);
    const bool many = takes_many(key);
    if (is_string(token) && !many && !kContents.has(key)) note_text(key, known == kOther, token);
    const bool command = key == "command" || key == "cmd";
    if (command && is_string(token)) input.command = r.text(token);
    if (r.detail() == Detail::full) {
      append_readable(r, key, field, call.text);
    } else if (command && token.starts_with('[')) {
      od::array arguments;
      if (field.get_array().get(arguments)) return false;
      input.command = command_line_of(r, arguments);
      call.search_text.append(call.search_text.empty() ? "" : "\n")
          .append(utf8_prefix(input.command, kSearchTextLimit));
    } else if (many) {
      return read_many(r, key, field, input);
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

void add_edits(std::string_view input, Event& call) {
  for (const RecordedEdit& edit : recorded_edits(input)) {
    const std::string path = absolute_path(call.cwd, edit.path);
    auto file = std::find_if(call.files.begin(), call.files.end(), [&](const FileTouch& f) { return f.path == path; });
    if (file == call.files.end()) file = call.files.insert(file, {path, FileAccess::modified, 0, 0});
    for (const EditHunk& hunk : edit.hunks)
      count_lines(hunk, *file);
  }
}

void add_edits(od::object& object, std::string_view key, Event& call) {
  od::value value;
  od::object input;
  std::string_view json;
  if (!seek(object, key, value)) return;
  json = token_of(value);  // a patch may be the whole input
  if (is_string(json) || (!value.get_object().get(input) && !input.raw_json().get(json))) add_edits(json, call);
}

bool add_call(RecordBuilder& c, std::string tool, std::string id, od::object& object, std::string_view key,
              const AccessOf& access_of) {
  Event& call = c.add(EventKind::tool_call, Role::assistant);
  call.tool = std::move(tool);
  call.call_id = std::move(id);
  call.summary = call.tool;
  od::value value;
  if (!seek(object, key, value)) return true;
  if (const auto token = token_of(value); string_body(token).starts_with('{'))
    read_tool_input_text(c, c.text(token), access_of, call);
  else if (!read_tool_input(c, value, access_of, call))
    return false;
  if (c.detail() == Detail::stored && access_of(call.tool) == FileAccess::modified) add_edits(object, key, call);
  return true;
}

void read_tool_input_text(TextReader& r, std::string_view text, const AccessOf& access_of, Event& call) {
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
