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

// The files such patches change, each once and in order, with the lines they add and remove. A file that is moved is
// told under both names, its lines under the new one. Lines of a deleted file are not in the patch.
std::vector<FileTouch> patched_files(std::string_view text);

// The text without its patches: what is left of a shell command.
std::string without_patches(std::string_view text);

// Lines of a unified diff by their first letter; what stands before its first hunk does not count.
void count_diff_lines(std::string_view diff, FileTouch& file);

// A larger number is no line of a file, whatever a record says.
inline constexpr std::int64_t kMostLines = 1'000'000'000;

// Hunks of a unified diff ("@@ -12,3 +12,5 @@"), with their places.
std::vector<EditHunk> unified_hunks(std::string_view diff);

// Edits of patches as apply_patch takes them; they say which lines change, not where.
std::vector<RecordedEdit> patch_edits(std::string_view text);

// "------- SEARCH … ======= … +++++++ REPLACE", the older "<<<<<<< SEARCH … >>>>>>> REPLACE" too.
std::vector<EditHunk> search_replace_hunks(std::string_view text);

// One text that took the place of another, as a hunk without a place.
EditHunk replacement(std::string_view before, std::string_view after);

}  // namespace memd::tool_calls
