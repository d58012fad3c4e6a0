#pragma once

#include "schemas/base/result.hpp"
#include "schemas/base/timestamp.hpp"
#include "schemas/language_model.hpp"
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

// The database summaries.db next to the store: responses of language models and their cost (docs/store-format.md).
// Several processes may use it at once. Thread-safe through with().
class SummariesFile {
 public:
  // Creates the file if it is missing.
  static Result<std::shared_ptr<SummariesFile>> open(const std::filesystem::path& file);

  // Returns a random number drawn once per file. Marks derived from it cannot be guessed by the authors of history
  // texts.
  std::uint64_t secret() const { return secret_; }

  // Runs f(db) under the mutex.
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

// Cache of model responses, keyed by the exact request. When a session grows, the responses about its unchanged parts
// are found again. Thread-safe. The clock must outlive it.
class AnswerCache {
 public:
  AnswerCache(std::shared_ptr<SummariesFile> file, const Clock& clock, std::size_t max_bytes = 32 << 20)
      : file_(std::move(file)), clock_(clock), max_bytes_(max_bytes) {}

  Result<std::optional<std::string>> find(std::string_view model, const CompletionRequest& request);
  // Stores a response, to be deleted with its session. When the file grows too large, evicts the least recently used
  // responses.
  Result<void> keep(std::string_view session_uid, std::string_view model, const CompletionRequest& request,
                    std::string_view answer);
  Result<std::int64_t> size();  // number of responses

 private:
  const std::shared_ptr<SummariesFile> file_;
  const Clock& clock_;
  const std::size_t max_bytes_;
};

// Deletes the responses about these sessions. Does nothing if the file is missing.
Result<void> forget_answers(const std::filesystem::path& file, const std::vector<std::string>& session_uids);

// Likewise for all sessions for which `is_forgotten` holds; also clears them from the file's free pages.
Result<void> erase_answers(const std::filesystem::path& file,
                           const std::function<bool(std::string_view session_uid)>& is_forgotten);

// Likewise for responses whose text is to go. Does nothing to the file when there are none.
Result<void> erase_answers_with(const std::filesystem::path& file,
                                const std::function<bool(std::string_view answer)>& is_forgotten);

// The limits on model requests per UTC day. 0: no limit.
struct DailyBudget {
  std::int64_t requests = 0;
  std::int64_t tokens = 0;  // of requests and responses together
};

struct ModelUsage {
  std::string model;
  std::int64_t requests = 0;
  std::int64_t failures = 0;  // among the requests
  std::int64_t tokens_in = 0;
  std::int64_t tokens_out = 0;
};

// The requests by day and model. Charges a request's maximum cost before it is sent, so that neither a crash nor a
// second process exceeds the budget. Thread-safe. The clock must outlive it.
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
  // Returns Errc::unavailable when the day's budget does not suffice; the message has the budget and the time of its
  // reset.
  Result<Charge> charge(std::string_view model, std::int64_t tokens_in, std::int64_t tokens_out);
  enum class Outcome { answered, failed, not_asked };
  // Replaces the charge by the actual cost: zero for Outcome::not_asked.
  Result<void> settle(const Charge& charge, Outcome outcome, std::int64_t tokens_in, std::int64_t tokens_out);

  Result<std::vector<ModelUsage>> today();
  // Returns why no request is possible today; empty: one is.
  std::string exhausted();

 private:
  const std::shared_ptr<SummariesFile> file_;
  const Clock& clock_;
  const DailyBudget budget_;
};

}  // namespace memd::completions
