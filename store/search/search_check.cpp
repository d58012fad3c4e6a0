#include "store/search/search_check.hpp"

#include "schemas/base/embedded.hpp"
#include "schemas/base/error.hpp"
#include "schemas/sql_text.hpp"
#include "store/db/time_limit.hpp"
#include "store/search/words/full_text_index.hpp"

#include <array>

namespace memd {
namespace {

constexpr std::array kIndexes{"exchanges_fts", "session_titles"};

// Each chunk has 8 bytes of hash and `dimension` bytes of vector.
constexpr const char* kUnusableVectors =
    "FROM vectors v JOIN vector_models m USING (model_pk)"
    " WHERE length(v.chunk_hashes) % 8 <> 0 OR length(v.vectors) <> length(v.chunk_hashes) / 8 * m.dimension";

std::string damage_of(sqlite::Database& db) {
  if (db.pragma("user_version") != newest_schema_version()) return {};
  const sqlite::Snapshot snapshot(db);
  for (const char* table : kIndexes)
    try {
      search::FullTextIndex index(db, table);
      index.refresh();
      index.check();
    } catch (const ErrorException& e) {
      if (!e.error().is(Errc::store_corrupt)) throw;
      return std::string(table) + " cannot be read";
    }
  const std::int64_t vectors = db.prepare(std::string("SELECT count(*) ") + kUnusableVectors).value_or(0);
  return vectors == 0 ? std::string() : std::to_string(vectors) + " rows of vectors have no size that fits";
}

}  // namespace

Result<SearchCheck> check_search(const std::filesystem::path& database, std::chrono::milliseconds limit) {
  auto found = sqlite::guard([&] {
    auto db = sqlite::Database::open(database, sqlite::OpenMode::read_only);
    const sqlite::TimeLimit time(db, limit);
    return SearchCheck{damage_of(db), true};
  });
  if (found) return found;
  if (found.error().is(Errc::cancelled)) return SearchCheck{};
  if (found.error().is(Errc::store_corrupt)) return SearchCheck{found.error().message(), true};
  return found;
}

void repair_search_index(sqlite::Database& db) {
  for (const char* table : kIndexes)
    db.exec((std::string("INSERT INTO ") + table + " (" + table + ") VALUES ('rebuild')").c_str());
  std::string queue(
      std::string_view(sql_text("INSERT INTO enrichment_queue (exchange_pk, missing) SELECT exchange_pk,"
                                " kMissingVectors FROM exchanges WHERE exchange_pk IN (SELECT v.exchange_pk ")));
  queue += kUnusableVectors;
  queue += std::string_view(
      sql_text(") ON CONFLICT DO UPDATE SET revision = revision + 1, missing = missing | kMissingVectors"));
  db.exec(queue.c_str());
  db.exec(
      (std::string("DELETE FROM vectors WHERE vector_pk IN (SELECT v.vector_pk ") + kUnusableVectors + ")").c_str());
}

}  // namespace memd
