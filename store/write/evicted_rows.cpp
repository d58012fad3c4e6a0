#include "store/write/evicted_rows.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/base/utf8.hpp"
#include "schemas/platform.hpp"
#include "schemas/sql_text.hpp"
#include "store/enrich/second_look.hpp"
#include "store/raw/frame_codec.hpp"
#include "store/read/session_rows.hpp"
#include "store/text/plain_text.hpp"
#include "store/write/exchange_rows.hpp"
#include "store/write/session_tables.hpp"

#include <boost/algorithm/string/join.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace memd::retention {
namespace {

using transfer::find_source;
using transfer::index_texts;
using transfer::Insertion;
using transfer::insertion_of;
using transfer::kept_tables;
using transfer::Selection;
using transfer::selection_of;
using transfer::SessionTable;

constexpr std::string_view kCutMark = " …";

struct Kept {
  ExchangeId id = 0;
  std::optional<std::string> user;
  std::string answer;
};

std::vector<Kept> first_lines_of(sqlite::Database& db, std::int64_t session_pk) {
  auto& q = db.query(sql_text("SELECT exchange_pk, user_message, assistant_response, answer_offset FROM exchanges"
                              " WHERE session_pk = ? AND data_completeness <> DataCompleteness::metadata_only"),
                     session_pk);
  std::vector<Kept> out;
  while (q.step()) {
    Kept kept{q.int64(0), std::nullopt, {}};
    if (!q.is_null(1)) kept.user = first_lines(q.text(1));
    const std::string_view response = q.text(2);
    const auto answer = static_cast<std::size_t>(std::max<std::int64_t>(q.int64(3), 0));
    kept.answer = first_lines(response.substr(std::min(answer, response.size())));
    out.push_back(std::move(kept));
  }
  return out;
}

// Stores a title derived from the first prompt, because the prompt is about to be cut.
void write_title_down(sqlite::Database& db, std::int64_t session_pk) {
  const SessionRow session = queries::session_by_pk(db, session_pk);
  if (session.title.empty()) return;
  db.run("UPDATE sessions SET title = ?2 WHERE session_pk = ?1 AND title = ''", session_pk, session.title);
}

using Row = std::vector<std::optional<std::string>>;

// Rows with the names of their columns: a record outlives the shape of the tables.
struct NamedRows {
  std::string table;
  std::vector<std::string> columns;
  std::vector<Row> rows;
};

NamedRows select(sqlite::Database& db, const SessionTable& kept, std::string_view uid) {
  Selection selection = selection_of(db, kept);
  NamedRows out{std::string(kept.table), std::move(selection.columns), {}};
  auto& q = db.query(selection.sql, uid);
  while (q.step()) {
    Row& row = out.rows.emplace_back();
    for (std::size_t i = 0; i < out.columns.size(); ++i) {
      const int column = static_cast<int>(i);
      row.push_back(q.is_null(column) ? std::nullopt : std::optional(q.str(column)));
    }
  }
  return out;
}

void insert(sqlite::Database& db, const SessionTable& kept, const NamedRows& named, std::string_view uid) {
  const Insertion insertion = insertion_of(db, kept, named.columns);
  for (const Row& row : named.rows) {
    auto& q = db.prepare(insertion.sql);
    q.bind_at(1, uid);
    for (std::size_t i = 0; i < insertion.places.size(); ++i)
      q.bind_at(static_cast<int>(i) + 2, row[insertion.places[i]]);
    q.run();
  }
}

// Records of versions 1 and 2 are lists of rows with fixed columns.
constexpr std::uint64_t kVersion = 3;

void put(raw::ByteWriter& w, const std::vector<Row>& rows) {
  w.number(rows.size());
  for (const auto& row : rows) {
    w.number(row.size());
    for (const auto& value : row) {
      w.number(value ? 1 : 0);
      if (value) w.text(*value);
    }
  }
}

std::vector<Row> get(raw::ByteReader& r) {
  std::vector<Row> rows;
  for (auto n = r.number(); n > 0 && r.ok(); --n) {
    auto& row = rows.emplace_back();
    for (auto columns = r.number(); columns > 0 && r.ok(); --columns) {
      const bool there = r.number() != 0;
      row.push_back(there ? std::optional(r.text()) : std::nullopt);
    }
  }
  return rows;
}

std::vector<std::string> words(std::string_view list) { return ascii::split(list, ' '); }

constexpr std::string_view kOldSessions =
    "uid platform native_id kind parent_uid parent_call_id forked_from agent_name title title_rank description cwd"
    " git_branch model agent_version started_at ended_at outcome tokens_input tokens_output tokens_cache_read"
    " tokens_cache_creation turns retries tool_calls tool_pairs tool_errors compactions next_seq next_exchange"
    " discovered_at ingested_at analyzed_at evicted_at evicted_through";
constexpr std::string_view kOldSources =
    "platform path format state state_reason device inode head_hash head_length size mtime cursor generation open_tail"
    " session_uid mark";

// In rows of versions 1 and 2 the source is stored in two columns.
void join_source(std::vector<Row>& rows) {
  for (Row& row : rows) {
    if (row.size() < 2) continue;
    row[1] = row[0].value_or("") + ":" + row[1].value_or("");
    row.erase(row.begin());
  }
}

std::vector<NamedRows> read_old(raw::ByteReader& r, std::uint64_t version) {
  std::vector<NamedRows> out;
  NamedRows sessions{"sessions", words(kOldSessions), get(r)};
  if (version == 1) sessions.columns.insert(sessions.columns.begin() + 17, "state");  // behind ended_at
  if (version == 2)
    for (const char* column : {"stopped_at", "repo", "analysis_version"})
      sessions.columns.emplace_back(column);
  NamedRows sources{"sources", words(kOldSources), get(r)};
  NamedRows coverage{"coverage", words("source_pk record_type disposition reason records bytes"), get(r)};
  join_source(coverage.rows);
  out = {std::move(sources), std::move(sessions), std::move(coverage)};
  if (version == 1) return out;
  NamedRows digests{"session_digests", words("request result abstract wall_clock_ms source_path source_bytes"), get(r)};
  NamedRows errors{"digest_errors", words("place time tool text"), get(r)};
  for (auto* rows : {&digests.rows, &errors.rows})
    for (Row& row : *rows)
      if (!row.empty()) row.erase(row.begin());  // the uid
  out.push_back(std::move(digests));
  out.push_back(std::move(errors));
  return out;
}

std::vector<NamedRows> read_record(std::string_view record) {
  raw::ByteReader r(record);
  const std::uint64_t version = r.number();
  std::vector<NamedRows> out;
  if (version == 1 || version == 2) out = read_old(r, version);
  if (version == kVersion)
    for (auto n = r.number(); n > 0 && r.ok(); --n) {
      NamedRows& rows = out.emplace_back();
      rows.table = r.text();
      rows.columns = words(r.text());
      rows.rows = get(r);
    }
  const bool whole = r.ok() && std::all_of(out.begin(), out.end(), [](const NamedRows& named) {
                       return std::all_of(named.rows.begin(), named.rows.end(),
                                          [&](const Row& row) { return row.size() == named.columns.size(); });
                     });
  return whole ? out : std::vector<NamedRows>();
}

const NamedRows* rows_of(const std::vector<NamedRows>& record, std::string_view table) {
  const auto it = std::find_if(record.begin(), record.end(), [&](const NamedRows& n) { return n.table == table; });
  return it == record.end() ? nullptr : &*it;
}

// The session's share in the ledgers of sources that also contain other sessions.
constexpr std::string_view kSharedLedger = "shared coverage";

NamedRows select_shared_ledger(sqlite::Database& db, std::string_view uid) {
  NamedRows out{std::string(kSharedLedger), words("source_pk record_type disposition reason records bytes"), {}};
  auto& q = db.query(sql_text("SELECT o.platform || ':' || o.path, i.record_type, i.disposition, i.reason, count(*),"
                              " sum(i.bytes) FROM source_items i JOIN sources o USING (source_pk)"
                              " WHERE i.session_uid = ?1 AND o.session_uid <> ?1 AND i.flags & kItemGone = 0"
                              " AND EXISTS (SELECT 1 FROM source_items x WHERE x.source_pk = i.source_pk"
                              " AND x.session_uid <> ?1) GROUP BY 1, 2, 3, 4"),
                     uid);
  while (q.step()) {
    Row& row = out.rows.emplace_back();
    for (int column = 0; column < 6; ++column)
      row.emplace_back(q.str(column));
  }
  return out;
}

void add_shared_ledger(sqlite::Database& db, const NamedRows& named) {
  static const std::string sql =
      "INSERT INTO coverage (source_pk, record_type, disposition, reason, records, bytes) SELECT " + find_source("?1") +
      ", ?2, ?3, ?4, ?5, ?6 WHERE ?1 <> '' ON CONFLICT DO UPDATE SET records = records + excluded.records,"
      " bytes = bytes + excluded.bytes";
  for (const Row& row : named.rows)
    if (row.size() == 6) db.run(sql, row[0], row[1], row[2], row[3], row[4], row[5]);
}

void put(raw::ByteWriter& w, const NamedRows& named) {
  w.text(named.table);
  w.text(boost::algorithm::join(named.columns, " "));
  put(w, named.rows);
}

}  // namespace

std::string first_lines(std::string_view text) {
  if (text.size() <= kKeptBytes) return std::string(text);
  std::string_view kept = utf8_prefix(text, kKeptBytes);
  if (const auto line = kept.rfind('\n'); line != std::string_view::npos && line >= kKeptBytes / 2)
    kept = kept.substr(0, line);
  return std::string(kept).append(kCutMark);
}

Freed keep_first_lines(sqlite::Database& db, std::int64_t session_pk) {
  write_title_down(db, session_pk);
  const auto kept = first_lines_of(db, session_pk);
  assembly::forget_texts(db, sql_text("session_pk = ?1 AND data_completeness <> DataCompleteness::metadata_only"),
                         session_pk);
  for (const Kept& k : kept)
    db.run(sql_text("UPDATE exchanges SET user_message = ?2, assistant_response = ?3, answer_offset = 0,"
                    " interventions = NULL, tool_text = NULL, content_hash = ?4,"
                    " data_completeness = DataCompleteness::metadata_only WHERE exchange_pk = ?1"),
           k.id, k.user, k.answer.empty() ? std::nullopt : std::optional(k.answer),
           as_sql(hash_combine(hash64(k.user.value_or("")), hash64(k.answer))));
  for (const Kept& k : kept) {
    index_texts(db, k.id);
    db.run("DELETE FROM vectors WHERE exchange_pk = ?", k.id);
    second_look::forget(db, k.id);
  }
  db.run("DELETE FROM events WHERE session_pk = ?", session_pk);
  return {static_cast<std::int64_t>(kept.size()), db.changes()};
}

std::string record_of(sqlite::Database& db, std::string_view uid) {
  raw::ByteWriter w;
  w.number(kVersion);
  w.number(kept_tables().size() + 1);
  for (const SessionTable& kept : kept_tables())
    put(w, select(db, kept, uid));
  put(w, select_shared_ledger(db, uid));
  return w.take();
}

std::vector<ExchangeId> restore_rows(sqlite::Database& db, std::string_view record) {
  const auto all = read_record(record);
  const NamedRows* sessions = rows_of(all, "sessions");
  if (sessions == nullptr || sessions->rows.size() != 1) return {};
  const auto uid_at = std::find(sessions->columns.begin(), sessions->columns.end(), "uid");
  if (uid_at == sessions->columns.end()) return {};
  const std::string uid =
      sessions->rows.front()[static_cast<std::size_t>(uid_at - sessions->columns.begin())].value_or("");
  for (const SessionTable& kept : kept_tables())
    if (const NamedRows* named = rows_of(all, kept.table)) insert(db, kept, *named, uid);
  if (const NamedRows* shared = rows_of(all, kSharedLedger)) add_shared_ledger(db, *shared);

  const std::int64_t session_pk = db.query("SELECT session_pk FROM sessions WHERE uid = ?", uid).value_or(0);
  transfer::add_identities(db, session_pk);
  auto ids = db.query("SELECT exchange_pk FROM exchanges WHERE session_pk = ? ORDER BY exchange_pk", session_pk)
                 .all(sqlite::first_number);
  for (const ExchangeId id : ids)
    index_texts(db, id);
  return ids;
}

}  // namespace memd::retention
