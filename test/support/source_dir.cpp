#include "test/support/source_dir.hpp"

namespace memd::test {

std::filesystem::path source_dir() { return MEMD_SOURCE_DIR; }

}  // namespace memd::test
