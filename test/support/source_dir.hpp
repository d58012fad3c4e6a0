#pragma once

#include <filesystem>

namespace memd::test {

// The root of the source tree that the running program was built from. Compiled once: what is built from a second clone
// then finds all else in the compiler's cache.
std::filesystem::path source_dir();

}  // namespace memd::test
