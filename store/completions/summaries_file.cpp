#include "store/completions/summaries_file.hpp"

#include "schemas/base/embedded.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/base/time.hpp"
#include "store/db/rows.hpp"

#include <array>
#include <cstring>
#include <random>
#include <span>
#include <system_error>
#include <utility>

namespace memd::completions {
namespace {

std::uint64_t random_number() {
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32U) ^ device();
}

constexpr TimeMs kUseIsNoted = 3'600'000;  // ms after which the time of use is updated again
constexpr std::size_t kBytesOfARow = 300;  // overhead per row besides the text

// A 128-bit keyed hash. Requests contain texts by others, who cannot produce a collision without the secret.
std::array<char, 16> hash_of(std::uint64_t secret, std::string_view model, const CompletionRequest& request) {
  std::string bytes;
  for (const std::string_view part : {model, std::string_view(request.system), std::string_view(request.prompt)})
    bytes.append(std::to_string(part.size())).append(1, ':').append(part);
  bytes += std::to_string(request.max_tokens);
  const std::array<std::uint64_t, 2> halves{hash64(bytes, secret), hash64(bytes, hash_combine(secret, secret + 1))};
  std::array<char, 16> out{};
  std::memcpy(out.data(), halves.data(), out.size());
  return out;
}

std::span<const std::byte> blob(const std::array<char, 16>& hash) { return std::as_bytes(std::span(hash)); }

constexpr TimeMs kKept = 90 * kMsPerDay;

std::string day_of(TimeMs t) { return format_rfc3339(t).substr(0, 10); }

struct Total {
  std::int64_t requests = 0;
  std::int64_t tokens = 0;
};

Total total_of(sqlite::Database& db, const std::string& day) {
  const auto row =
      db.query(
            "SELECT coalesce(sum(requests), 0), coalesce(sum(tokens_in + tokens_out), 0) FROM spending WHERE day = ?",
            day)
          .row();
  const Total out{row->int64(0), row->int64(1)};
  return out;
}

// Returns why `more` on top of the spent amount exceeds the budget; empty if it does not.
std::string too_much(const DailyBudget& budget, const Total& spent, const Total& more) {
  constexpr const char* kAnew = "; it resets at 00:00 UTC";
  if (budget.requests > 0 && spent.requests + more.requests > budget.requests)
    return "today's budget of " + std::to_string(budget.requests) + " requests is used up (summaries.daily_requests)" +
           kAnew;
  if (budget.tokens > 0 && spent.tokens + more.tokens > budget.tokens)
    return "today's budget of " + std::to_string(budget.tokens) + " tokens is used up, " +
           std::to_string(spent.tokens) + " are spent (summaries.daily_tokens)" + kAnew;
  return {};
}

}  // namespace

Result<std::shared_ptr<SummariesFile>> SummariesFile::open(const std::filesystem::path& file) {
  return sqlite::guard([&] {
    auto db = sqlite::Database::open(file, sqlite::OpenMode::read_write);
    sqlite::migrate(db, summaries_migrations(), file.filename().string());
    db.run("INSERT OR IGNORE INTO secrets (name, value) VALUES ('marks', ?)", as_sql(random_number()));
    const auto row = db.query("SELECT value FROM secrets WHERE name = 'marks'").row();
    const std::uint64_t secret = from_sql(row->int64(0));
    std::shared_ptr<SummariesFile> out(new SummariesFile(std::move(db)));
    out->secret_ = secret;
    return out;
  });
}

Result<std::optional<std::string>> AnswerCache::find(std::string_view model, const CompletionRequest& request) {
  const auto hash = hash_of(file_->secret(), model, request);
  return file_->with([&](sqlite::Database& db) {
    std::optional<std::string> out;
    auto& q = db.query("SELECT answer, used_at FROM answers WHERE request_hash = ?", blob(hash));
    TimeMs used_at = 0;
    if (const auto row = q.row()) {
      out = row->str(0);
      used_at = row->int64(1);
    }
    const TimeMs now = clock_.now();
    if (out && now - used_at >= kUseIsNoted)
      db.run("UPDATE answers SET used_at = ? WHERE request_hash = ?", now, blob(hash));
    return out;
  });
}

Result<void> AnswerCache::keep(std::string_view session_uid, std::string_view model, const CompletionRequest& request,
                               std::string_view answer) {
  const auto hash = hash_of(file_->secret(), model, request);
  return file_->with([&](sqlite::Database& db) {
    sqlite::Transaction transaction(db);
    const TimeMs now = clock_.now();
    db.run(
        "INSERT OR REPLACE INTO answers (request_hash, session_uid, model, answer, created_at, used_at)"
        " VALUES (?, ?, ?, ?, ?5, ?5)",
        blob(hash), session_uid, model, answer, now);
    db.run(
        "DELETE FROM answers WHERE request_hash IN (SELECT request_hash FROM (SELECT request_hash,"
        " sum(length(CAST(answer AS BLOB)) + ?1) OVER (ORDER BY used_at DESC, created_at DESC, request_hash) AS"
        " bytes FROM answers) WHERE bytes > ?2)",
        static_cast<std::int64_t>(kBytesOfARow), static_cast<std::int64_t>(max_bytes_));
    transaction.commit();
  });
}

Result<std::int64_t> AnswerCache::size() {
  return file_->with([&](sqlite::Database& db) { return db.query("SELECT count(*) FROM answers").value_or(0); });
}

Result<void> forget_answers(const std::filesystem::path& file, const std::vector<std::string>& session_uids) {
  std::error_code ec;
  if (!std::filesystem::exists(file, ec)) return {};
  MEMD_TRY_ASSIGN(const auto summaries, SummariesFile::open(file));
  return summaries->with([&](sqlite::Database& db) {
    sqlite::Transaction transaction(db);
    for (const auto& uid : session_uids)
      db.run("DELETE FROM answers WHERE session_uid = ?", uid);
    transaction.commit();
  });
}

Result<void> erase_answers(const std::filesystem::path& file,
                           const std::function<bool(std::string_view session_uid)>& is_forgotten) {
  std::error_code ec;
  if (!std::filesystem::exists(file, ec)) return {};
  MEMD_TRY_ASSIGN(const auto summaries, SummariesFile::open(file));
  std::vector<std::string> forgotten;
  MEMD_TRY(summaries->with([&](sqlite::Database& db) {
    auto& q = db.query("SELECT DISTINCT session_uid FROM answers");
    while (q.step())
      if (is_forgotten(q.text(0))) forgotten.push_back(q.str(0));
  }));
  MEMD_TRY(forget_answers(file, forgotten));
  return sqlite::clear_free_space(file);
}

Result<void> erase_answers_with(const std::filesystem::path& file,
                                const std::function<bool(std::string_view answer)>& is_forgotten) {
  std::error_code ec;
  if (!std::filesystem::exists(file, ec)) return {};
  MEMD_TRY_ASSIGN(const auto summaries, SummariesFile::open(file));
  bool erased = false;
  MEMD_TRY(summaries->with([&](sqlite::Database& db) {
    std::vector<std::string> hashes;
    auto& q = db.query("SELECT hex(request_hash), answer FROM answers");
    while (q.step())
      if (is_forgotten(q.text(1))) hashes.push_back(q.str(0));
    for (const auto& hash : hashes)
      db.run("DELETE FROM answers WHERE hex(request_hash) = ?", hash);
    erased = !hashes.empty();
  }));
  return erased ? sqlite::clear_free_space(file) : Result<void>();
}

Result<SpendingLedger::Charge> SpendingLedger::charge(std::string_view model, std::int64_t tokens_in,
                                                      std::int64_t tokens_out) {
  return file_->with([&](sqlite::Database& db) {
    const TimeMs now = clock_.now();
    Charge out{day_of(now), std::string(model), tokens_in, tokens_out};
    sqlite::Transaction transaction(db);
    const std::string refusal = too_much(budget_, total_of(db, out.day), {1, tokens_in + tokens_out});
    if (!refusal.empty()) throw ErrorException(Error(Errc::unavailable, refusal));
    db.run(
        "INSERT INTO spending (day, model, requests, tokens_in, tokens_out) VALUES (?, ?, 1, ?, ?)"
        " ON CONFLICT DO UPDATE SET requests = requests + 1, tokens_in = tokens_in + excluded.tokens_in,"
        " tokens_out = tokens_out + excluded.tokens_out",
        out.day, out.model, tokens_in, tokens_out);
    db.run("DELETE FROM spending WHERE day < ?", day_of(now - kKept));
    transaction.commit();
    return out;
  });
}

Result<void> SpendingLedger::settle(const Charge& charge, Outcome outcome, std::int64_t tokens_in,
                                    std::int64_t tokens_out) {
  const bool asked = outcome != Outcome::not_asked;
  return file_->with([&](sqlite::Database& db) {
    db.run(
        "UPDATE spending SET requests = requests - ?3, failures = failures + ?4,"
        " tokens_in = max(0, tokens_in + ?5), tokens_out = max(0, tokens_out + ?6) WHERE day = ?1 AND model = ?2",
        charge.day, charge.model, asked ? 0 : 1, outcome == Outcome::failed ? 1 : 0,
        (asked ? tokens_in : 0) - charge.tokens_in, (asked ? tokens_out : 0) - charge.tokens_out);
    db.run("DELETE FROM spending WHERE day = ? AND requests = 0", charge.day);
  });
}

Result<std::vector<ModelUsage>> SpendingLedger::today() {
  return file_->with([&](sqlite::Database& db) {
    const std::string day = day_of(clock_.now());  // must outlive the steps: bound texts are not copied
    return db
        .query("SELECT model, requests, failures, tokens_in, tokens_out FROM spending WHERE day = ? ORDER BY model",
               day)
        .all(sqlite::fields_of<ModelUsage>);
  });
}

std::string SpendingLedger::exhausted() {
  const auto spent = file_->with([&](sqlite::Database& db) { return total_of(db, day_of(clock_.now())); });
  return spent ? too_much(budget_, *spent, {1, 1}) : spent.error().message();
}

}  // namespace memd::completions
