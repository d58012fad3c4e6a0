#pragma once

#include <cstdint>
#include <string_view>

namespace memd::cline {

struct EditCounts {
  std::int32_t added = 0;
  std::int32_t removed = 0;
};

// Lines an edit adds and removes, from what the message about it shows: SEARCH/REPLACE blocks, a unified diff, or the
// whole new file.
EditCounts count_edit(std::string_view shown);

}  // namespace memd::cline
