#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// Paths as agents write them, and the line that tells of an edit.
namespace memd::assembly {

// `path` as it is meant in `directory`. As it stands when it is absolute, starts with "~" or the directory is unknown.
std::string absolute_path(std::string_view path, std::string_view directory);

// "src/a.cpp +3 -1", and back.
std::string edit_summary(std::string_view path, std::int64_t added, std::int64_t removed);
struct LineCounts {
  std::int64_t added = 0;
  std::int64_t removed = 0;
};
LineCounts counts_of_edit(std::string_view summary);

}  // namespace memd::assembly
