#pragma once

#include "schemas/event.hpp"
#include "schemas/file_history.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memd::tool_calls {

// Takes the first line off `rest`, without its "\n" or "\r\n".
inline std::string_view next_line(std::string_view& rest) {
  const auto end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// Patches as apply_patch takes them ("*** Begin Patch … *** Update File: path …"), wherever in a text they stand.
bool holds_patch(std::string_view text);

// The files that such patches change, each once and in order, with the lines added and removed. A moved file is told
// under both names, its lines under the new one. A deleted file has no lines: the patch does not hold them.
std::vector<FileTouch> patched_files(std::string_view text);

// The text without its patches: what is left of a shell command.
std::string without_patches(std::string_view text);

// Counts the lines of a unified diff by their first letter, from its first hunk on.
void count_diff_lines(std::string_view diff, FileTouch& file);

// Larger numbers in a record are no lines of a file.
inline constexpr std::int64_t kMostLines = 1'000'000'000;

// Hunks of a unified diff ("@@ -12,3 +12,5 @@"), with their places.
std::vector<EditHunk> unified_hunks(std::string_view diff);

// The edits of such patches: which lines change, not where.
std::vector<RecordedEdit> patch_edits(std::string_view text);

// The hunks of "------- SEARCH … ======= … +++++++ REPLACE" and of the older "<<<<<<< SEARCH … >>>>>>> REPLACE".
std::vector<EditHunk> search_replace_hunks(std::string_view text);

// A text that replaced another one, as a hunk without a place.
EditHunk replacement(std::string_view before, std::string_view after);

}  // namespace memd::tool_calls
