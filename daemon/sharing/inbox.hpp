#pragma once

#include "schemas/base/result.hpp"
#include "store/db/store_layout.hpp"
#include "store/db/withheld.hpp"
#include "store/files/directory_entry.hpp"

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace memd::sharing {

// What others shared, as ingest reads it: a file of events.v1 lines for each of their sessions, in the data directory.
// It stays when a share is left. A value; whoever changes files holds the lock of shares.
class Inbox {
 public:
  explicit Inbox(const StoreLayout& layout) : directory_(layout.data_dir() / "shared/sessions") {}

  const std::filesystem::path& directory() const { return directory_; }
  // The lock of shares. Errc::busy: another one has it for longer than `patience`.
  Result<files::FileLock> lock(std::chrono::milliseconds patience) const;
  std::filesystem::path file_of(std::string_view session_uid) const;
  bool has(std::string_view session_uid) const;
  std::vector<std::filesystem::path> files() const;
  // Appends lines durably. After a write that was cut short they begin a line of their own.
  Result<void> append(std::string_view session_uid, std::string_view lines) const;

  // Takes out what this machine has forgotten: whole sessions, and the lines of turns.
  Result<void> forget(const Withheld& withheld, std::string_view session_uid) const;
  // Masks forgotten texts in all files.
  Result<void> mask(const redaction::ForgottenTexts& texts) const;

 private:
  std::filesystem::path directory_;
};

}  // namespace memd::sharing
