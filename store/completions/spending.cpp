#include "store/completions/spending.hpp"

#include "schemas/time.hpp"

namespace memd::completions {
namespace {

constexpr TimeMs kKept = 90 * kMsPerDay;

std::string day_of(TimeMs t) { return format_rfc3339(t).substr(0, 10); }

struct Total {
  std::int64_t requests = 0;
  std::int64_t tokens = 0;
};

Total total_of(sqlite::Database& db, const std::string& day) {
  auto& q = db.prepare(
      "SELECT coalesce(sum(requests), 0), coalesce(sum(tokens_in + tokens_out), 0) FROM spending WHERE day = ?");
  q.bind(day);
  q.step();
  const Total out{q.int64(0), q.int64(1)};
  q.reset();
  return out;
}

// Why `more` on top of what was spent is too much; empty: it is not.
std::string too_much(const DailyBudget& budget, const Total& spent, const Total& more) {
  constexpr const char* kAnew = "; it begins anew at 00:00 UTC";
  if (budget.requests > 0 && spent.requests + more.requests > budget.requests)
    return "today's budget of " + std::to_string(budget.requests) + " requests is used up (summaries.daily_requests)" +
           kAnew;
  if (budget.tokens > 0 && spent.tokens + more.tokens > budget.tokens)
    return "today's budget of " + std::to_string(budget.tokens) + " tokens is used up, " +
           std::to_string(spent.tokens) + " are spent (summaries.daily_tokens)" + kAnew;
  return {};
}

}  // namespace

Result<SpendingLedger::Charge> SpendingLedger::charge(std::string_view model, std::int64_t tokens_in,
                                                      std::int64_t tokens_out) {
  return file_->with([&](sqlite::Database& db) {
    const TimeMs now = clock_.now();
    Charge out{day_of(now), std::string(model), tokens_in, tokens_out};
    sqlite::Transaction transaction(db);
    const std::string refusal = too_much(budget_, total_of(db, out.day), {1, tokens_in + tokens_out});
    if (!refusal.empty()) throw ErrorException(Error(Errc::unavailable, refusal));
    db.prepare(
          "INSERT INTO spending (day, model, requests, tokens_in, tokens_out) VALUES (?, ?, 1, ?, ?)"
          " ON CONFLICT DO UPDATE SET requests = requests + 1, tokens_in = tokens_in + excluded.tokens_in,"
          " tokens_out = tokens_out + excluded.tokens_out")
        .bind(out.day, out.model, tokens_in, tokens_out)
        .run();
    db.prepare("DELETE FROM spending WHERE day < ?").bind(day_of(now - kKept)).run();
    transaction.commit();
    return out;
  });
}

Result<void> SpendingLedger::settle(const Charge& charge, Outcome outcome, std::int64_t tokens_in,
                                    std::int64_t tokens_out) {
  const bool asked = outcome != Outcome::not_asked;
  return file_->with([&](sqlite::Database& db) {
    db.prepare(
          "UPDATE spending SET requests = requests - ?3, failures = failures + ?4,"
          " tokens_in = max(0, tokens_in + ?5), tokens_out = max(0, tokens_out + ?6) WHERE day = ?1 AND model = ?2")
        .bind(charge.day, charge.model, asked ? 0 : 1, outcome == Outcome::failed ? 1 : 0,
              (asked ? tokens_in : 0) - charge.tokens_in, (asked ? tokens_out : 0) - charge.tokens_out)
        .run();
    db.prepare("DELETE FROM spending WHERE day = ? AND requests = 0").bind(charge.day).run();
  });
}

Result<std::vector<Spent>> SpendingLedger::today() {
  return file_->with([&](sqlite::Database& db) {
    std::vector<Spent> out;
    const std::string day = day_of(clock_.now());  // has to outlive the steps: texts are not copied
    auto& q = db.prepare(
        "SELECT model, requests, failures, tokens_in, tokens_out FROM spending WHERE day = ? ORDER BY model");
    q.bind(day);
    while (q.step())
      out.push_back({q.str(0), q.int64(1), q.int64(2), q.int64(3), q.int64(4)});
    q.reset();
    return out;
  });
}

std::string SpendingLedger::exhausted() {
  const auto spent = file_->with([&](sqlite::Database& db) { return total_of(db, day_of(clock_.now())); });
  return spent ? too_much(budget_, *spent, {1, 1}) : spent.error().message();
}

}  // namespace memd::completions
