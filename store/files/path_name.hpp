#pragma once

#include <filesystem>

namespace memd::files {

// Returns whether `path` is `directory` or lies below it, by name only. Nothing is inside an empty one. Pure.
bool is_inside(const std::filesystem::path& path, const std::filesystem::path& directory);

}  // namespace memd::files
