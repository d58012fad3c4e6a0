#include "adapters/tool_calls/recorded_edits.hpp"

#include "adapters/json/json_access.hpp"
#include "adapters/tool_calls/patch_text.hpp"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <string>

namespace memd {
namespace {

namespace dom = simdjson::dom;
using tool_calls::patch_edits;
using tool_calls::replacement;
using tool_calls::search_replace_hunks;
using tool_calls::unified_hunks;

constexpr int kDeepest = 16;
constexpr std::size_t kLongestPath = 4096;

template <std::size_t N>
std::string_view first_string(const dom::object& object, const std::array<std::string_view, N>& names) {
  for (const auto name : names) {
    std::string_view value;
    if (!object.at_key(name).get(value)) return value;
  }
  return {};
}

constexpr std::array<std::string_view, 11> kPathNames{"file_path",     "filepath",
                                                      "filePath",      "target_file",
                                                      "absolute_path", "path",
                                                      "notebook_path", "relative_workspace_path",
                                                      "absolutePath",  "relativeWorkspacePath",
                                                      "targetFile"};
constexpr std::array<std::string_view, 7> kOldNames{"old_string", "oldString", "old_str", "old_text",
                                                    "oldText",    "old",       "before"};
constexpr std::array<std::string_view, 7> kNewNames{"new_string", "newString", "new_str", "new_text",
                                                    "newText",    "new",       "after"};
constexpr std::array<std::string_view, 6> kContentNames{"content",    "file_text", "contents",
                                                        "new_source", "code_edit", "new_content"};
constexpr std::array<std::string_view, 5> kDiffNames{"unified_diff", "diff", "fileDiff", "patch", "diffString"};

std::int64_t number(const dom::object& object, std::string_view name) {
  std::int64_t value = 0;
  if (object.at_key(name).get(value) || value < 0 || value > tool_calls::kMostLines) return 0;
  return value;
}

class Walk {
 public:
  explicit Walk(std::vector<RecordedEdit>& out) : out_(out) {}

  bool parse(std::string_view json, std::string_view path, int depth) {
    json::DomParser parser;
    dom::element root;
    if (!parser.parse(json, root)) return false;
    element(root, path, depth);
    return true;
  }

 private:
  void element(const dom::element& e, std::string_view path, int depth) {
    if (depth > kDeepest) return;
    dom::object object;
    dom::array array;
    std::string_view text;
    if (!e.get(object)) {
      walk(object, path, depth);
    } else if (!e.get(array)) {
      for (const dom::element item : array)
        element(item, path, depth + 1);
    } else if (!e.get(text)) {
      string(text, path, depth);
    }
  }

  void string(std::string_view text, std::string_view path, int depth) {
    const auto start = text.find_first_not_of(" \n\r\t");
    if (start == std::string_view::npos) return;
    if (tool_calls::holds_patch(text) && text[start] != '{') {
      for (auto& edit : patch_edits(text))
        out_.push_back(std::move(edit));
    } else if (text[start] == '{' || text[start] == '[') {
      parse(text.substr(start), path, depth + 1);
    }
  }

  void walk(const dom::object& object, std::string_view outer, int depth) {
    std::string_view path = first_string(object, kPathNames);
    if (path.empty() || path.size() > kLongestPath || path.find('\n') != std::string_view::npos) path = outer;
    if (structured_patch(object, path) || counted_chunk(object, path)) return;
    bool told = false;
    for (const auto name : kDiffNames) {
      std::string_view diff;
      if (!object.at_key(name).get(diff)) told = diff_text(diff, path) || told;
    }
    if (!told && !path.empty()) told = replaced_text(object, path);
    if (!told && !path.empty()) told = whole_text(object, path);
    for (const auto& [key, value] : object) {
      if (told && value.is_string()) continue;  // the texts were extracted above
      dom::object changes;
      if (key == "changes" && !value.get(changes)) {
        // Codex uses the file names as keys.
        for (const auto& [file, change] : changes)
          element(change, file, depth + 1);
        continue;
      }
      element(value, path, depth + 1);
    }
  }

  void add(std::string_view path, std::vector<EditHunk> hunks, bool whole_file = false) {
    out_.push_back({std::string(path), whole_file, std::move(hunks)});
  }

  bool structured_patch(const dom::object& object, std::string_view path) {
    dom::array patch;
    if (path.empty() || object.at_key("structuredPatch").get(patch)) return false;
    std::vector<EditHunk> hunks;
    for (const dom::element item : patch) {
      dom::object hunk;
      dom::array lines;
      if (item.get(hunk) || hunk.at_key("lines").get(lines)) continue;
      EditHunk one{
          number(hunk, "oldStart"), number(hunk, "oldLines"), number(hunk, "newStart"), number(hunk, "newLines"), {}};
      for (const dom::element line : lines) {
        std::string_view text;
        if (!line.get(text) && !text.starts_with('\\')) one.text.append(text).append("\n");
      }
      hunks.push_back(std::move(one));
    }
    std::string_view kind;
    const bool created = hunks.empty() && !object.at_key("type").get(kind) && kind == "create";
    if (created) return whole_text(object, path);
    add(path, std::move(hunks));
    return true;
  }

  // Cursor: {"diffString": …, "oldStart": …, …}
  bool counted_chunk(const dom::object& object, std::string_view path) {
    std::string_view text;
    if (object.at_key("diffString").get(text) || number(object, "newStart") + number(object, "oldStart") == 0)
      return false;
    add(path, {{number(object, "oldStart"), number(object, "oldLines"), number(object, "newStart"),
                number(object, "newLines"), std::string(text)}});
    return true;
  }

  bool diff_text(std::string_view diff, std::string_view path) {
    if (tool_calls::holds_patch(diff)) {
      for (auto& edit : patch_edits(diff))
        out_.push_back(std::move(edit));
      return true;
    }
    auto hunks = unified_hunks(diff);
    if (hunks.empty()) hunks = search_replace_hunks(diff);
    if (hunks.empty()) return false;
    add(path, std::move(hunks));
    return true;
  }

  bool replaced_text(const dom::object& object, std::string_view path) {
    const auto before = first_string(object, kOldNames);
    const auto after = first_string(object, kNewNames);
    if (before.empty() && after.empty()) return false;
    add(path, {replacement(before, after)});
    return true;
  }

  bool whole_text(const dom::object& object, std::string_view path) {
    const auto content = first_string(object, kContentNames);
    if (content.empty()) return false;
    EditHunk hunk = replacement({}, content);
    hunk.new_start = 1;
    hunk.new_lines = std::count(hunk.text.begin(), hunk.text.end(), '\n');
    add(path, {std::move(hunk)}, true);
    return true;
  }

  std::vector<RecordedEdit>& out_;
};

}  // namespace

std::vector<RecordedEdit> recorded_edits(std::string_view record) {
  std::vector<RecordedEdit> out;
  Walk(out).parse(record, {}, 0);
  return out;
}

}  // namespace memd
