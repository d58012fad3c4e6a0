#include "adapters/opencode/tool_changes.hpp"

#include <algorithm>
#include <array>

namespace memd::opencode {
namespace {

constexpr std::size_t kSummaryLimit = 160;

enum : std::size_t { kFilePath, kFile, kToolChangesAdditions, kToolChangesDeletions, kChangeKeys };
constexpr KeyTable<kChangeKeys> kChangeTable{{"filePath", "file", "additions", "deletions"}};

std::int32_t count_lines(std::string_view text) {
  const auto newlines = std::count(text.begin(), text.end(), '\n');
  return static_cast<std::int32_t>(newlines + (text.empty() || text.ends_with('\n') ? 0 : 1));
}

// Lines of a unified diff; its header lines begin with "+++" and "---".
void count_diff(std::string_view diff, FileTouch& touch) {
  while (!diff.empty()) {
    const auto line = diff.substr(0, diff.find('\n'));
    diff.remove_prefix(std::min(line.size() + 1, diff.size()));
    if (line.starts_with("+++") || line.starts_with("---")) continue;
    touch.lines_added += line.starts_with('+');
    touch.lines_removed += line.starts_with('-');
  }
}

void read_change(od::object& change, FileTouch& touch) {
  Tokens<kChangeKeys> tokens;
  if (!collect(change, kChangeTable, tokens)) return;
  touch.lines_added = static_cast<std::int32_t>(integer(tokens[kToolChangesAdditions]));
  touch.lines_removed = static_cast<std::int32_t>(integer(tokens[kToolChangesDeletions]));
}

// metadata.files of a patch: counts for each file, whose path may be given in full.
void read_changes(od::object& metadata, std::vector<FileTouch>& files) {
  od::value value;
  od::array changes;
  if (!seek(metadata, "files", value) || value.get_array().get(changes)) return;
  for_each_element(changes, [&](od::value& element, std::size_t) {
    od::object change;
    Tokens<kChangeKeys> tokens;
    if (element.get_object().get(change) || !collect(change, kChangeTable, tokens)) return true;
    TextReader reader;
    const std::string path = reader.text(is_string(tokens[kFilePath]) ? tokens[kFilePath] : tokens[kFile]);
    for (FileTouch& touch : files)
      if (path == touch.path || path.ends_with("/" + touch.path)) read_change(change, touch);
    return true;
  });
}

std::string text_in(od::object& object, std::string_view inner_name, std::string_view name) {
  od::object inner;
  od::value value;
  if (!seek_object(object, inner_name, inner) || !seek(inner, name, value)) return {};
  return TextReader().text(token_of(value));
}

}  // namespace

void read_patch_files(ItemContext& c, od::object& state, Event& call) {
  constexpr std::array<std::string_view, 4> kHeads{
      "*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "};
  const std::string patch = text_in(state, "input", "patchText");
  std::string names;
  for (std::string_view rest = patch; !rest.empty();) {
    const auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    for (const auto head : kHeads) {
      if (!line.starts_with(head)) continue;
      call.files.push_back({std::string(trimmed(line.substr(head.size()))), FileAccess::modified, 0, 0});
      names.append(names.empty() ? "" : "\n").append(call.files.back().path);
    }
  }
  if (names.empty()) return;
  std::string list = names;
  std::replace(list.begin(), list.end(), '\n', ' ');
  call.summary = call.tool + " " + one_line(list, kSummaryLimit);
  call.search_text = std::move(names);
  if (c.detail() == Detail::full) call.text = patch;
}

void count_changes(od::object& state, std::string_view tool, std::vector<FileTouch>& files) {
  if (tool == "write") {
    od::object metadata;
    od::value exists;
    const bool replaces =
        seek_object(state, "metadata", metadata) && seek(metadata, "exists", exists) && is_true(token_of(exists));
    if (!replaces) files.front().lines_added = count_lines(text_in(state, "input", "content"));
    return;
  }
  od::object metadata;
  od::object change;
  od::value diff;
  if (!seek_object(state, "metadata", metadata)) return;
  if (files.size() == 1 && seek_object(metadata, "filediff", change)) {
    read_change(change, files.front());
  } else if (tool == "patch" || tool == "apply_patch") {
    read_changes(metadata, files);
  } else if (files.size() == 1 && seek(metadata, "diff", diff)) {
    count_diff(TextReader().text(token_of(diff)), files.front());
  }
}

std::string read_answers(ItemContext& c, od::object& state) {
  std::vector<std::string> questions;
  od::object inner;
  od::value value;
  od::array list;
  if (seek_object(state, "input", inner) && seek(inner, "questions", value) && !value.get_array().get(list))
    for_each_element(list, [&](od::value& element, std::size_t) {
      od::object question;
      od::value text;
      const bool told = !element.get_object().get(question) && seek(question, "question", text);
      questions.push_back(told ? c.text(token_of(text)) : std::string());
      return true;
    });
  std::string out;
  if (!seek_object(state, "metadata", inner) || !seek(inner, "answers", value) || value.get_array().get(list))
    return out;
  for_each_element(list, [&](od::value& element, std::size_t index) {
    std::string answer;
    od::array labels;
    if (!token_of(element).starts_with('[')) {
      answer = c.text(token_of(element));
    } else if (!element.get_array().get(labels)) {
      for_each_element(labels, [&](od::value& label, std::size_t) {
        answer.append(answer.empty() ? "" : ", ").append(c.text(token_of(label)));
        return true;
      });
    }
    if (answer.empty()) return true;
    out.append(out.empty() ? "" : "\n");
    if (index < questions.size() && !questions[index].empty()) out.append(questions[index]).append(": ");
    out.append(answer);
    return true;
  });
  return out;
}

}  // namespace memd::opencode
