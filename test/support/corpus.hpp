#pragma once

#include "test/support/source_dir.hpp"

#include <cstdlib>
#include <filesystem>

namespace memd::test {

// The home directory with real transcripts that some tests read: $MEMD_CORPUS, or beside the checkout.
inline std::filesystem::path corpus_home() {
  if (const char* set = std::getenv("MEMD_CORPUS")) return set;
  return source_dir() / ".." / "shared" / "corpus" / "home";
}

}  // namespace memd::test
