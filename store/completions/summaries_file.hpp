#pragma once

#include "schemas/error.hpp"
#include "schemas/language_model.hpp"
#include "schemas/time.hpp"
#include "store/db/database.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::completions {

// summaries.db, beside the store: what language models answered, and what was spent on them (docs/store-format.md).
// Several processes may use it at once. Thread-safe through with().
class SummariesFile {
 public:
  // Makes it if it is not there.
  static Result<std::shared_ptr<SummariesFile>> open(const std::filesystem::path& file);

  // A random number, drawn once a file. Whoever writes history cannot guess marks that are made of it.
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

// What models answered, by the exact request, so that nothing is asked twice: when a session has grown, the answers
// about its unchanged parts are found. Thread-safe. The clock must outlive it.
class AnswerCache {
 public:
  AnswerCache(std::shared_ptr<SummariesFile> file, const Clock& clock, std::size_t max_bytes = 32 << 20)
      : file_(std::move(file)), clock_(clock), max_bytes_(max_bytes) {}

  Result<std::optional<std::string>> find(std::string_view model, const CompletionRequest& request);
  // The answer is dropped with the session. When the file grows too large, the least recently used answers go.
  Result<void> keep(std::string_view session_uid, std::string_view model, const CompletionRequest& request,
                    std::string_view answer);
  Result<std::int64_t> size();  // answers

 private:
  const std::shared_ptr<SummariesFile> file_;
  const Clock& clock_;
  const std::size_t max_bytes_;
};

// Drops the answers about these sessions. Does nothing if there is no such file.
Result<void> forget_answers(const std::filesystem::path& file, const std::vector<std::string>& session_uids);

// The same for all sessions that `is_forgotten` names; nothing of them stays in the file's free space.
Result<void> erase_answers(const std::filesystem::path& file,
                           const std::function<bool(std::string_view session_uid)>& is_forgotten);

// What may be asked of models on one day of UTC. 0: no limit.
struct DailyBudget {
  std::int64_t requests = 0;
  std::int64_t tokens = 0;  // of requests and answers together
};

struct Spent {
  std::string model;
  std::int64_t requests = 0;
  std::int64_t failures = 0;  // among the requests
  std::int64_t tokens_in = 0;
  std::int64_t tokens_out = 0;
};

// The requests by day and model. A request is charged with what it may cost before it is sent, so that neither a crash
// nor a second process exceeds the budget. Thread-safe. The clock must outlive it.
class SpendingLedger {
 public:
  SpendingLedger(std::shared_ptr<SummariesFile> file, const Clock& clock, DailyBudget budget)
      : file_(std::move(file)), clock_(clock), budget_(budget) {}

  struct Charge {
    std::string day;
    std::string model;
    std::int64_t tokens_in = 0;
    std::int64_t tokens_out = 0;
  };
  // Errc::unavailable when the day's budget does not allow it, with the budget and when it begins anew.
  Result<Charge> charge(std::string_view model, std::int64_t tokens_in, std::int64_t tokens_out);
  enum class Outcome { answered, failed, not_asked };
  // Replaces the charge by what was spent: nothing if nothing was asked.
  Result<void> settle(const Charge& charge, Outcome outcome, std::int64_t tokens_in, std::int64_t tokens_out);

  Result<std::vector<Spent>> today();
  // Why nothing more may be asked today; empty: something may.
  std::string exhausted();

 private:
  const std::shared_ptr<SummariesFile> file_;
  const Clock& clock_;
  const DailyBudget budget_;
};

}  // namespace memd::completions
