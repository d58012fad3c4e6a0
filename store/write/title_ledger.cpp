#include "store/write/title_ledger.hpp"

#include "schemas/hash.hpp"

namespace memd::assembly {

void TitleLedger::load() {
  if (loaded_) return;
  waiting_.clear();
  auto& q = db_.prepare("SELECT record_key, title_rank, title FROM pending_titles ORDER BY title_rank");
  q.bind();
  while (q.step())
    waiting_[from_sql(q.int64(0))] = {q.str(2), static_cast<TitleRank>(q.int64(1))};
  q.reset();
  loaded_ = true;
}

void TitleLedger::wait_for(std::uint64_t key, std::string_view title, TitleRank rank) {
  load();
  auto& entry = waiting_[key];
  if (rank < entry.rank) return;
  entry = {std::string(title), rank};
  db_.prepare(
         "INSERT INTO pending_titles (record_key, title_rank, title) VALUES (?, ?, ?)"
         " ON CONFLICT DO UPDATE SET title = excluded.title")
      .bind(as_sql(key), static_cast<int>(rank), title)
      .run();
}

std::optional<PendingTitle> TitleLedger::take(std::uint64_t event_id) {
  load();
  const auto it = waiting_.find(event_id);
  if (it == waiting_.end()) return std::nullopt;
  PendingTitle title = std::move(it->second);
  waiting_.erase(it);
  db_.prepare("DELETE FROM pending_titles WHERE record_key = ?").bind(as_sql(event_id)).run();
  return title;
}

}  // namespace memd::assembly
