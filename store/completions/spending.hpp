#pragma once

#include "schemas/clock.hpp"
#include "schemas/error.hpp"
#include "store/completions/summaries_file.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memd::completions {

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

// The ledger of requests by day and model. What a request may cost is charged before it goes out, so that neither a
// crash nor a second process spends more than the budget. Thread-safe. The clock must outlive it.
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
  // Puts what was spent in place of what was charged; tokens are left out when nothing was asked.
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
