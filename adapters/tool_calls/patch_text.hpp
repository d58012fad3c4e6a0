#pragma once

#include "schemas/base/ascii.hpp"
#include "schemas/event.hpp"
#include "schemas/file_history.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memd::tool_calls {

// Removes and returns the first line of `rest`, without its "\n" or "\r\n".
inline std::string_view next_line(std::string_view& rest) {
  std::string_view line = ascii::take_until(rest, '\n');
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// Returns whether the text contains a patch in apply_patch format ("*** Begin Patch … *** Update File: path …").
bool holds_patch(std::string_view text);

// Returns the files that such patches change, each once and in order, with the lines added and removed. A moved file is
// listed under both names, with its lines under the new one. A deleted file has no line counts: the patch does not
// contain its lines.
std::vector<FileTouch> patched_files(std::string_view text);

// Returns the text without its patches: the rest of a shell command.
std::string without_patches(std::string_view text);

// Counts the lines of a unified diff by their first letter, starting at its first hunk.
void count_diff_lines(std::string_view diff, FileTouch& file);

// Returns the number of lines; one without a newline at its end counts.
std::int32_t count_lines(std::string_view text);

// Larger line numbers in a record are invalid.
inline constexpr std::int64_t kMostLines = 1'000'000'000;

// Returns the hunks of a unified diff ("@@ -12,3 +12,5 @@") with their positions.
std::vector<EditHunk> unified_hunks(std::string_view diff);

// Returns the edits of such patches: the changed lines without positions.
std::vector<RecordedEdit> patch_edits(std::string_view text);

// Returns the hunks of "------- SEARCH … ======= … +++++++ REPLACE" and of the older "<<<<<<< SEARCH … >>>>>>>
// REPLACE".
std::vector<EditHunk> search_replace_hunks(std::string_view text);

// Returns a text replacement as a hunk without a position.
EditHunk replacement(std::string_view before, std::string_view after);

}  // namespace memd::tool_calls
