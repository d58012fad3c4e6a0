#pragma once

#include <filesystem>

namespace memd::test {

// Returns the root of the source tree that the program was built from. It is compiled in one translation unit only, so
// a build of a second clone can take all other objects from the compiler cache.
std::filesystem::path source_dir();

}  // namespace memd::test
