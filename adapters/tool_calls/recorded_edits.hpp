#pragma once

#include "schemas/file_history.hpp"

#include <string_view>
#include <vector>

namespace memd {

// Extracts the file changes that a record of any agent contains. Hunks have line numbers where the agent records them
// (structuredPatch, unified diffs). Otherwise they contain the replaced or written texts (old_string and new_string,
// apply_patch, SEARCH/REPLACE, contents). Files are in the order of the record, and a file may occur more than once.
// `record` may be any text; objects nested deeper than 16 levels are ignored. Thread-safe.
std::vector<RecordedEdit> recorded_edits(std::string_view record);

}  // namespace memd
