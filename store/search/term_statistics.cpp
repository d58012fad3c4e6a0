#include "store/search/term_statistics.hpp"

namespace memd::search {
namespace {

constexpr std::size_t kRememberedWords = 8192;
constexpr std::int64_t kCheapCount = 500;  // documents; counted again rather than taken from memory

}  // namespace

TermStatistics::TermStatistics(sqlite::Database& db) : db_(db) {
  // The temp schema is this connection's own; query_only would forbid even that.
  db_.exec("PRAGMA query_only = OFF");
  db_.exec("CREATE VIRTUAL TABLE IF NOT EXISTS temp.index_words USING fts5vocab(main, exchanges_fts, row)");
  db_.exec("PRAGMA query_only = ON");
}

void TermStatistics::refresh() {
  const auto version = db_.pragma("data_version");
  if (version == version_ && documents_ > 0) return;
  version_ = version;
  auto& q = db_.prepare("SELECT coalesce(max(exchange_pk), 0) FROM exchanges");
  documents_ = q.step() ? q.int64(0) : 0;
  q.reset();
  if (counts_.size() > kRememberedWords) counts_.clear();
}

bool TermStatistics::usable(const Count& count) const {
  if (count.version == version_) return true;
  return count.frequency > kCheapCount && documents_ >= count.documents &&
         documents_ - count.documents <= count.documents / 10;
}

std::int64_t TermStatistics::document_frequency(std::string_view stem) {
  const auto known = counts_.find(stem);
  if (known != counts_.end() && usable(known->second)) return known->second.frequency;
  auto& q = db_.prepare("SELECT doc FROM temp.index_words WHERE term = ?1").bind(stem);
  const std::int64_t frequency = q.step() ? q.int64(0) : 0;
  q.reset();
  counts_.insert_or_assign(std::string(stem), Count{frequency, documents_, version_});
  return frequency;
}

}  // namespace memd::search
