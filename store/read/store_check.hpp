#pragma once

#include "schemas/error.hpp"

#include <chrono>
#include <filesystem>
#include <string>

namespace memd {

struct StoreCheck {
  std::string damage;     // the first thing that is wrong with the file; empty: nothing
  bool complete = false;  // all of it was looked at, within the time
};

// Reads the whole file (`PRAGMA quick_check`), checks that exchanges, sessions and full-text indexes name each other,
// and then that each index has what its table has (`PRAGMA integrity_check`), which takes longest. Opens a connection
// of its own and stops after `limit`. A file that cannot be opened as a database is damaged. Any thread.
Result<StoreCheck> check_store(const std::filesystem::path& database, std::chrono::milliseconds limit);

}  // namespace memd
