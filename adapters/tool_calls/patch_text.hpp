#pragma once

#include "schemas/event.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memd::tool_calls {

// Patches as apply_patch takes them ("*** Begin Patch … *** Update File: path …"), wherever in a text they stand.
bool holds_patch(std::string_view text);

// The files such patches change, each once and in order, with the lines they add and remove. A file that is moved is
// told under both names, its lines under the new one. Lines of a deleted file are not in the patch.
std::vector<FileTouch> patched_files(std::string_view text);

// The text without its patches: what is left of a shell command.
std::string without_patches(std::string_view text);

// Lines of a unified diff by their first letter; what stands before its first hunk does not count.
void count_diff_lines(std::string_view diff, FileTouch& file);

}  // namespace memd::tool_calls
