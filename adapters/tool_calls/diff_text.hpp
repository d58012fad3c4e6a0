#pragma once

#include "schemas/file_history.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace memd::tool_calls {

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
