#include "store/write/old_store.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/error.hpp"
#include "schemas/ids.hpp"
#include "store/db/rows.hpp"
#include "store/db/withheld.hpp"
#include "store/write/assembler.hpp"
#include "store/write/exchange_rows.hpp"
#include "store/write/project_rows.hpp"
#include "store/write/session_tables.hpp"
#include "store/write/share_rows.hpp"
#include "store/write/writer.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace memd {
namespace {

using transfer::copy_rows;

std::optional<std::int64_t> number(sqlite::Database& db, std::string_view sql, std::string_view parameter) {
  return db.query(sql, parameter).number();
}

// Returns the ids of the events later than `after`, sorted.
std::vector<std::int64_t> event_ids(sqlite::Database& db, std::int64_t session_pk, TimeMs after) {
  auto out = db.query("SELECT event_id FROM events WHERE session_pk = ? AND time > ?", session_pk, after)
                 .all(sqlite::first_number);
  std::sort(out.begin(), out.end());
  return out;
}

std::int64_t exchanges_of(sqlite::Database& db, std::int64_t session_pk) {
  return db.query("SELECT count(*) FROM exchanges WHERE session_pk = ?", session_pk).value_or(0);
}

// Returns the attributes of a session that come from its own and other sources, as a string for comparison.
std::string facts_text(sqlite::Database& db, std::int64_t session_pk) {
  auto& q = db.query(
      "SELECT kind, parent_uid, parent_call_id, forked_from, agent_name, title, title_rank, description, cwd,"
      " git_branch, model, agent_version, repo, mode, started_at, ended_at, turns,"
      " (SELECT sum(input) || ' ' || sum(output) FROM responses r WHERE r.session_pk = sessions.session_pk)"
      " FROM sessions WHERE session_pk = ?",
      session_pk);
  std::string out;
  if (const auto row = q.row())
    for (int column = 0; column < sqlite3_data_count(q.handle()); ++column)
      out.append(row->text(column)).append(1, '\0');
  return out;
}

constexpr std::string_view kSourceFacts =
    "platform, path, format, state, state_reason, device, inode, head_hash, head_length, size, mtime, cursor,"
    " generation, open_tail, session_uid, mark, failures, retry_at";

struct Reached {
  std::int64_t source_pk = 0;
  std::int64_t generation = 0;
  std::int64_t cursor = 0;
};

std::optional<Reached> reached(sqlite::Database& db, std::string_view platform, std::string_view path) {
  const auto row =
      db.query("SELECT source_pk, generation, cursor FROM sources WHERE platform = ? AND path = ?", platform, path)
          .row();
  return row ? std::optional<Reached>({row->int64(0), row->int64(1), row->int64(2)}) : std::nullopt;
}

// A ledger with a gap may have reached the same cursor and still lack records.
bool is_behind(sqlite::Database& fresh, const std::optional<Reached>& now, const Reached& before) {
  if (!now || now->generation < before.generation) return true;
  if (now->generation == before.generation && now->cursor < before.cursor) return true;
  return fresh.query("SELECT 1 FROM coverage WHERE source_pk = ? AND record_type = '(lost)'", now->source_pk).any();
}

void give_ledger(sqlite::Database& from, sqlite::Database& to, const Reached& before) {
  auto& source =
      from.query("SELECT " + std::string(kSourceFacts) + " FROM sources WHERE source_pk = ?", before.source_pk);
  std::string parameters;
  std::string changes;
  std::vector<std::size_t> places;
  std::string_view rest = kSourceFacts;
  for (std::size_t i = 0; !rest.empty(); ++i) {
    const std::string name(ascii::take_until(rest, ", "));
    parameters += (i > 0 ? ", ?" : "?") + std::to_string(i + 2);
    changes += (i > 0 ? ", " : "") + name + " = excluded." + name;
    places.push_back(i);
  }
  copy_rows(source,
            to.prepare("INSERT INTO sources (" + std::string(kSourceFacts) + ") SELECT " + parameters +
                       " WHERE ?1 <> '' ON CONFLICT (platform, path) DO UPDATE SET " + changes),
            places, "-");
  const std::string key =
      from.query("SELECT platform || ':' || path FROM sources WHERE source_pk = ?", before.source_pk).value_or("");
  const std::string found = transfer::find_source("?1");
  for (const char* table : {"coverage", "source_items"})
    to.run("DELETE FROM " + std::string(table) + " WHERE source_pk = " + found, key);
  copy_rows(from.query("SELECT record_type, disposition, reason, records, bytes FROM coverage WHERE source_pk = ?",
                       before.source_pk),
            to.prepare("INSERT INTO coverage (source_pk, record_type, disposition, reason, records, bytes) VALUES (" +
                       found + ", ?2, ?3, ?4, ?5, ?6)"),
            {0, 1, 2, 3, 4}, key);
  copy_rows(from.query("SELECT session_uid, item_no, item_key, version, flags, record_type, disposition, reason,"
                       " bytes FROM source_items WHERE source_pk = ?",
                       before.source_pk),
            to.prepare("INSERT INTO source_items (source_pk, session_uid, item_no, item_key, version, flags,"
                       " record_type, disposition, reason, bytes) VALUES (" +
                       found + ", ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"),
            {0, 1, 2, 3, 4, 5, 6, 7, 8}, key);
}

using SessionKey = std::pair<std::int64_t, std::string>;  // with its uid
SessionKey session_key(const sqlite::Statement& q) { return {q.int64(0), q.str(1)}; }

// Returns the keys of a session's exchanges by number.
std::map<std::int64_t, ExchangeId> keys_of(sqlite::Database& db, std::int64_t session_pk) {
  std::map<std::int64_t, ExchangeId> out;
  auto& q = db.query("SELECT exchange_number, exchange_pk FROM exchanges WHERE session_pk = ?", session_pk);
  while (q.step())
    out[q.int64(0)] = q.int64(1);
  return out;
}

void move_exchanges(sqlite::Database& db, const std::map<ExchangeId, ExchangeId>& moves) {
  const auto set_key = [&db](ExchangeId from, ExchangeId to) {
    for (const char* table : {"exchanges", "exchange_tools"})
      db.run("UPDATE " + std::string(table) + " SET exchange_pk = ?2 WHERE exchange_pk = ?1", from, to);
  };
  db.exec("PRAGMA defer_foreign_keys = ON");
  for (const auto& [from, to] : moves) {
    assembly::forget_texts(db, "exchange_pk = ?1", from);
    // Data derived from their texts is recomputed.
    for (const char* table : {"enrichment_queue", "exchange_topics", "vectors", "second_look"})
      db.run("DELETE FROM " + std::string(table) + " WHERE exchange_pk = ?", from);
    set_key(from, -from);
  }
  for (const auto& [from, to] : moves)
    set_key(-from, to);
  for (const auto& [from, to] : moves)
    transfer::index_texts(db, to);
}

struct KnownSource {
  std::string platform;
  std::string path;
  Reached reached;
};

std::vector<KnownSource> sources_of(sqlite::Database& db) {
  return db.query("SELECT platform, path, source_pk, generation, cursor FROM sources ORDER BY source_pk")
      .all(sqlite::fields_of<KnownSource>);
}

}  // namespace

Result<OldStore> OldStore::open(const std::filesystem::path& file) {
  return sqlite::guard([&] {
    auto db = sqlite::Database::open(file, sqlite::OpenMode::read_write);
    sqlite::migrate(db);
    return OldStore(std::move(db));
  });
}

SessionLoss OldStore::compare(sqlite::Database& fresh, std::int64_t session_pk, std::string uid, Compare what) {
  const auto now = number(fresh, "SELECT session_pk FROM sessions WHERE uid = ?", uid);
  const auto evicted = number(fresh, "SELECT evicted_through FROM sessions WHERE uid = ?", uid);
  const auto before = event_ids(db_, session_pk, evicted.value_or(std::numeric_limits<TimeMs>::min()));
  std::vector<std::int64_t> gone = before;
  if (now) {
    const auto after = event_ids(fresh, *now, std::numeric_limits<TimeMs>::min());
    gone.clear();
    std::set_difference(before.begin(), before.end(), after.begin(), after.end(), std::back_inserter(gone));
  }
  const std::int64_t exchanges = exchanges_of(db_, session_pk) - (now ? exchanges_of(fresh, *now) : 0);
  const bool other = what == Compare::facts_too && now && facts_text(db_, session_pk) != facts_text(fresh, *now);
  return {std::move(uid), std::max<std::int64_t>(exchanges, 0), std::ssize(gone), !now, other, false};
}

Result<std::vector<SessionLoss>> OldStore::losses(sqlite::Database& fresh, const Withheld& withheld, Compare what) {
  return sqlite::guard([&] {
    std::vector<SessionLoss> out;
    for (auto& [session, uid] : db_.query("SELECT session_pk, uid FROM sessions ORDER BY uid").all(session_key)) {
      if (withheld.has_session(uid)) continue;
      const auto loss = sqlite::guard([&, pk = session, &name = uid] { return compare(fresh, pk, name, what); });
      if (!loss)
        out.push_back({std::move(uid), 0, 0, false, false, true});
      else if (loss->is_missing || loss->has_other_facts || loss->events > 0 || loss->exchanges > 0)
        out.push_back(*loss);
    }
    return out;
  });
}

Result<bool> OldStore::had_more_records(sqlite::Database& fresh, const std::vector<std::uint64_t>& slices) {
  return sqlite::guard([&] {
    const auto has = [&](std::int64_t slice) {
      return std::binary_search(slices.begin(), slices.end(), static_cast<std::uint64_t>(slice));
    };
    bool more = false;
    auto& q = db_.query("SELECT first_number, last_number FROM raw_frames");
    while (!more && q.step())
      more = !has(q.int64(0)) || !has(q.int64(1));
    q.reset();
    for (const auto& known : sources_of(db_)) {
      if (more) break;
      more = is_behind(fresh, reached(fresh, known.platform, known.path), known.reached);
    }
    return more;
  });
}

Result<void> OldStore::give_sessions(Writer& fresh, const std::vector<std::string>& uids) {
  std::vector<ExchangeId> ids;
  for (const auto& uid : uids) {
    // A session that cannot be read is rolled back.
    const auto given = fresh.transact([&](sqlite::Database& to) { return transfer::copy_session(db_, to, uid); });
    if (given)
      ids.insert(ids.end(), given->begin(), given->end());
    else if (!given.error().is(Errc::store_corrupt))
      return given.error();
  }
  fresh.assembler_->forget();
  fresh.assembler_->reserve(ids);
  return {};
}

Result<void> OldStore::give_shares(Writer& fresh) {
  const auto given = fresh.transact([&](sqlite::Database& to) { shares::take_over(db_, to); });
  return given || given.error().is(Errc::store_corrupt) ? Result<void>() : given;
}

Result<void> OldStore::give_projects(Writer& fresh) {
  const auto given = fresh.transact([&](sqlite::Database& to) { projects::take_over(db_, to); });
  return given || given.error().is(Errc::store_corrupt) ? Result<void>() : given;
}

Result<void> OldStore::restore_exchange_keys(Writer& fresh) {
  return fresh.transact([&](sqlite::Database& to) {
    std::map<ExchangeId, ExchangeId> moves;
    std::vector<ExchangeId> others;  // may have a key that another exchange needs
    std::set<ExchangeId> taken;
    for (const auto& [session, uid] : to.query("SELECT session_pk, uid FROM sessions").all(session_key)) {
      const auto before = number(db_, "SELECT session_pk FROM sessions WHERE uid = ?", uid);
      const auto keys = before ? keys_of(db_, *before) : std::map<std::int64_t, ExchangeId>();
      for (const auto& [place, key] : keys_of(to, session)) {
        const auto was = keys.find(place);
        if (was == keys.end()) {
          others.push_back(key);
          continue;
        }
        taken.insert(was->second);
        if (was->second != key) moves[key] = was->second;
      }
    }
    ExchangeId next = taken.empty() ? 1 : *taken.rbegin() + 1;
    for (const ExchangeId key : others)
      next = std::max(next, key + 1);
    for (const ExchangeId key : others)
      if (taken.contains(key)) moves[key] = next++;
    move_exchanges(to, moves);
  });
}

Result<void> OldStore::give_ledgers(Writer& fresh) {
  return fresh.transact([&](sqlite::Database& to) {
    for (const auto& known : sources_of(db_)) {
      if (fresh.withheld()->has_source(known.path)) continue;
      const auto now = reached(to, known.platform, known.path);
      const bool went_further =
          now && now->generation == known.reached.generation && now->cursor > known.reached.cursor;
      if (!went_further) give_ledger(db_, to, known.reached);
    }
  });
}

}  // namespace memd
