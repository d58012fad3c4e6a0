#pragma once

#include <filesystem>

namespace memd::files {

// Returns the path of the running program; if it was replaced meanwhile, that of its replacement. Thread-safe.
std::filesystem::path own_executable();

}  // namespace memd::files
