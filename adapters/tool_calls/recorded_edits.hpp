#pragma once

#include "schemas/file_history.hpp"

#include <string_view>
#include <vector>

namespace memd {

// Finds the changes to files that a record of any agent tells of. Hunks have line numbers where the agent counts lines
// (structuredPatch, unified diffs). Else they are the texts that were replaced or written (old_string and new_string,
// apply_patch, SEARCH/REPLACE, contents). Files come in the order of the record, and a file may come more than once.
// `record` may be any text; objects below 16 levels are not looked at. Thread-safe.
std::vector<RecordedEdit> recorded_edits(std::string_view record);

}  // namespace memd
