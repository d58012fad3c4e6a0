#include "store/search/words/segment_merge.hpp"

#include "store/search/words/full_text_index.hpp"

namespace memd::search {
namespace {

constexpr std::size_t kFewSegments = 6;
constexpr int kPagesAtOnce = 64;

}  // namespace

bool merge_segments(sqlite::Database& db) {
  FullTextIndex index(db, "exchanges_fts");
  index.refresh();
  if (index.segments() <= kFewSegments) return false;
  const auto before = sqlite3_total_changes64(db.handle());
  sqlite::Transaction transaction(db);
  db.prepare("INSERT INTO exchanges_fts (exchanges_fts, rank) VALUES ('merge', ?1)").bind(kPagesAtOnce).run();
  transaction.commit();
  // The command counts as one: https://sqlite.org/fts5.html#the_merge_command
  return sqlite3_total_changes64(db.handle()) - before >= 2;
}

}  // namespace memd::search
