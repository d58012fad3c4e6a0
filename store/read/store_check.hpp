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

// Reads the whole file (`PRAGMA quick_check`), and whether its indexes name the rows there are, on a connection of its
// own, for `limit` at most. A file that cannot even
// be opened as a database is damaged, too. Any thread.
Result<StoreCheck> check_store(const std::filesystem::path& database, std::chrono::milliseconds limit);

}  // namespace memd
