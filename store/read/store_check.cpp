#include "store/read/store_check.hpp"

#include "schemas/base/embedded.hpp"
#include "schemas/base/error.hpp"
#include "store/db/database.hpp"
#include "store/db/time_limit.hpp"

namespace memd {
namespace {

// Inconsistencies that SQLite does not detect but that break a search. Checked from indexes alone.
struct Pairing {
  const char* count;
  const char* one;
  const char* many;
};
constexpr Pairing kPairings[] = {
    {"SELECT count(*) FROM exchanges e INDEXED BY exchanges_by_pk"
     " WHERE NOT EXISTS (SELECT 1 FROM sessions s WHERE s.session_pk = e.session_pk)",
     "turn without its session", "turns without their sessions"},
    {"SELECT count(*) FROM exchanges_fts_docsize d"
     " WHERE NOT EXISTS (SELECT 1 FROM exchanges e INDEXED BY exchanges_by_pk WHERE e.exchange_pk = d.id)",
     "entry of the full-text index without its turn", "entries of the full-text index without their turns"},
    {"SELECT count(*) FROM exchanges e INDEXED BY exchanges_by_pk"
     " WHERE NOT EXISTS (SELECT 1 FROM exchanges_fts_docsize d WHERE d.id = e.exchange_pk)",
     "turn without its entry in the full-text index", "turns without their entries in the full-text index"},
    {"SELECT (SELECT count(*) FROM session_titles_docsize d"
     "   WHERE NOT EXISTS (SELECT 1 FROM titled_sessions s WHERE s.session_pk = d.id))"
     " + (SELECT count(*) FROM titled_sessions s"
     "   WHERE NOT EXISTS (SELECT 1 FROM session_titles_docsize d WHERE d.id = s.session_pk))",
     "title that its index has otherwise", "titles that their index has otherwise"}};

std::string unpaired(sqlite::Database& db) {
  if (db.pragma("user_version") != newest_schema_version()) return {};
  for (const Pairing& pairing : kPairings) {
    const std::int64_t count = db.prepare(pairing.count).value_or(0);
    if (count > 0) return std::to_string(count) + ' ' + (count == 1 ? pairing.one : pairing.many);
  }
  return {};
}

std::string first_damage(sqlite::Database& db, const char* pragma) {
  std::string first = db.prepare(pragma).value_or("nothing was looked at");
  return first == "ok" ? std::string() : first;
}

}  // namespace

Result<StoreCheck> check_store(const std::filesystem::path& database, std::chrono::milliseconds limit) {
  auto found = sqlite::guard([&] {
    auto db = sqlite::Database::open(database, sqlite::OpenMode::read_only);
    const sqlite::TimeLimit time(db, limit);
    std::string damage = first_damage(db, "PRAGMA quick_check(1)");
    if (damage.empty()) damage = unpaired(db);
    if (damage.empty()) damage = first_damage(db, "PRAGMA integrity_check(1)");
    return StoreCheck{std::move(damage), true};
  });
  if (found) return found;
  if (found.error().is(Errc::cancelled)) return StoreCheck{};
  if (found.error().is(Errc::store_corrupt)) return StoreCheck{found.error().message(), true};
  return found;
}

}  // namespace memd
