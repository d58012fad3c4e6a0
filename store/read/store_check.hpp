#pragma once

#include "schemas/base/result.hpp"

#include <chrono>
#include <filesystem>
#include <string>

namespace memd {

struct StoreCheck {
  std::string damage;     // first defect found in the file; empty: none
  bool complete = false;  // the whole file was checked within the time limit
};

// Checks a database: reads the whole file (`PRAGMA quick_check`), then the references between exchanges, sessions and
// full-text indexes, then that each index matches its table (`PRAGMA integrity_check`, the longest step). Opens its own
// connection and stops after `limit`. A file that cannot be opened as a database counts as damaged. Any thread.
Result<StoreCheck> check_store(const std::filesystem::path& database, std::chrono::milliseconds limit);

}  // namespace memd
