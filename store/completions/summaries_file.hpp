#pragma once

#include "schemas/error.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>

namespace memd::completions {

// summaries.db: answers of language models and what was spent on them, beside the store (docs/store-format.md). Several
// processes may use it at once. Thread-safe through with().
class SummariesFile {
 public:
  // Makes it if it is not there.
  static Result<std::shared_ptr<SummariesFile>> open(const std::filesystem::path& file);

  // Drawn once for the file and told to nobody: marks made of it cannot be guessed by those who write history.
  std::uint64_t secret() const { return secret_; }

  // Runs f(db) alone.
  template <class F>
  auto with(F&& f) {
    const std::lock_guard lock(mutex_);
    return sqlite::guard([&] { return f(db_); });
  }

 private:
  explicit SummariesFile(sqlite::Database db) : db_(std::move(db)) {}

  std::mutex mutex_;
  sqlite::Database db_;  // guarded by mutex_
  std::uint64_t secret_ = 0;
};

}  // namespace memd::completions
