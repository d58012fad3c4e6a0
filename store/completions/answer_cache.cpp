#include "store/completions/answer_cache.hpp"

#include "schemas/hash.hpp"

#include <array>
#include <cstring>

namespace memd::completions {
namespace {

constexpr TimeMs kUseIsNoted = 3'600'000;  // after so long again
constexpr std::size_t kBytesOfARow = 300;  // besides the text

// 128 bits that nobody can aim at without the secret: requests hold what others wrote.
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

}  // namespace

Result<std::optional<std::string>> AnswerCache::find(std::string_view model, const CompletionRequest& request) {
  const auto hash = hash_of(file_->secret(), model, request);
  return file_->with([&](sqlite::Database& db) {
    std::optional<std::string> out;
    auto& q = db.prepare("SELECT answer, used_at FROM answers WHERE request_hash = ?");
    q.bind(blob(hash));
    TimeMs used_at = 0;
    if (q.step()) {
      out = q.str(0);
      used_at = q.int64(1);
    }
    q.reset();
    const TimeMs now = clock_.now();
    if (out && now - used_at >= kUseIsNoted)
      db.prepare("UPDATE answers SET used_at = ? WHERE request_hash = ?").bind(now, blob(hash)).run();
    return out;
  });
}

Result<void> AnswerCache::keep(std::string_view session_uid, std::string_view model, const CompletionRequest& request,
                               std::string_view answer) {
  const auto hash = hash_of(file_->secret(), model, request);
  return file_->with([&](sqlite::Database& db) {
    sqlite::Transaction transaction(db);
    const TimeMs now = clock_.now();
    db.prepare(
          "INSERT OR REPLACE INTO answers (request_hash, session_uid, model, answer, created_at, used_at)"
          " VALUES (?, ?, ?, ?, ?5, ?5)")
        .bind(blob(hash), session_uid, model, answer, now)
        .run();
    db.prepare(
          "DELETE FROM answers WHERE request_hash IN (SELECT request_hash FROM (SELECT request_hash,"
          " sum(length(CAST(answer AS BLOB)) + ?1) OVER (ORDER BY used_at DESC, created_at DESC, request_hash) AS"
          " bytes FROM answers) WHERE bytes > ?2)")
        .bind(static_cast<std::int64_t>(kBytesOfARow), static_cast<std::int64_t>(max_bytes_))
        .run();
    transaction.commit();
  });
}

Result<std::int64_t> AnswerCache::size() {
  return file_->with([&](sqlite::Database& db) {
    auto& q = db.prepare("SELECT count(*) FROM answers");
    q.bind();
    q.step();
    const auto out = q.int64(0);
    q.reset();
    return out;
  });
}

Result<void> forget_answers(const std::filesystem::path& file, const std::vector<std::string>& session_uids) {
  std::error_code ec;
  if (!std::filesystem::exists(file, ec)) return {};
  MEMD_TRY_ASSIGN(const auto summaries, SummariesFile::open(file));
  return summaries->with([&](sqlite::Database& db) {
    sqlite::Transaction transaction(db);
    for (const auto& uid : session_uids)
      db.prepare("DELETE FROM answers WHERE session_uid = ?").bind(uid).run();
    transaction.commit();
  });
}

}  // namespace memd::completions
