#pragma once

#include "schemas/file_history.hpp"

#include <string_view>
#include <vector>

namespace memd {

// What a record of any agent tells of changes to files: hunks with their lines where the agent counts them
// (structuredPatch, unified diffs), else the texts that were replaced or written (old_string and new_string,
// apply_patch, SEARCH/REPLACE, contents). Files in the order they are told of; several entries may be of one file. A
// record that is no JSON, or tells of nothing, gives nothing. `record`: any text; looked at no deeper than 16 levels.
// Thread-safe.
std::vector<RecordedEdit> recorded_edits(std::string_view record);

}  // namespace memd
