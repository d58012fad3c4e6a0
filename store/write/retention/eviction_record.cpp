// The rows that outlive an eviction, as text in the raw layer.
#include "schemas/project_identity.hpp"
#include "store/raw/byte_format.hpp"
#include "store/write/retention/eviction.hpp"

#include <array>
#include <vector>

namespace memd::retention {
namespace {

constexpr std::uint64_t kVersion = 1;

constexpr std::string_view kSessionColumns =
    "uid, platform, native_id, kind, parent_uid, parent_call_id, forked_from, agent_name, title, title_rank,"
    " description, cwd, git_branch, model, agent_version, started_at, ended_at, state, outcome, tokens_input,"
    " tokens_output, tokens_cache_read, tokens_cache_creation, turns, retries, tool_calls, tool_pairs, tool_errors,"
    " compactions, next_seq, next_exchange, discovered_at, ingested_at, analyzed_at, evicted_at, evicted_through";
constexpr std::string_view kSourceColumns =
    "platform, path, format, state, state_reason, device, inode, head_hash, head_length, size, mtime, cursor,"
    " generation, open_tail, session_uid, mark";

using Row = std::vector<std::optional<std::string>>;

std::vector<Row> select(sqlite::Database& db, const std::string& sql, std::string_view key) {
  std::vector<Row> out;
  auto& q = db.prepare(sql);
  q.bind(key);
  while (q.step()) {
    Row row;
    for (int i = 0; i < sqlite3_data_count(q.handle()); ++i)
      row.push_back(q.is_null(i) ? std::nullopt : std::optional(q.str(i)));
    out.push_back(std::move(row));
  }
  q.reset();
  return out;
}

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

std::string places(std::size_t n) {
  std::string out;
  for (std::size_t i = 0; i < n; ++i)
    out += i == 0 ? "?" : ", ?";
  return out;
}

void insert(sqlite::Database& db, const std::string& sql, const Row& row) {
  auto& q = db.prepare(sql);
  q.reset();
  int index = 0;
  for (const auto& value : row) {
    ++index;
    if (value)
      q.bind_at(index, *value);
    else
      q.bind_at(index, nullptr);
  }
  q.run();
}

}  // namespace

std::string record_of(sqlite::Database& db, std::string_view uid) {
  raw::ByteWriter w;
  w.number(kVersion);
  put(w, select(db, "SELECT " + std::string(kSessionColumns) + " FROM sessions WHERE uid = ?", uid));
  put(w, select(db, "SELECT " + std::string(kSourceColumns) + " FROM sources WHERE session_uid = ?", uid));
  put(w, select(db,
                "SELECT o.platform, o.path, c.record_type, c.disposition, c.reason, c.records, c.bytes FROM coverage c"
                " JOIN sources o USING (source_pk) WHERE o.session_uid = ?",
                uid));
  return w.take();
}

void restore(sqlite::Database& db, std::string_view record) {
  raw::ByteReader r(record);
  if (r.number() != kVersion) return;
  const auto sessions = get(r);
  const auto sources = get(r);
  const auto coverage = get(r);
  if (!r.ok()) return;
  for (const auto& row : sources) {
    if (row.size() < 2) continue;
    insert(db,
           "DELETE FROM coverage WHERE source_pk IN (SELECT source_pk FROM sources WHERE platform = ? AND path = ?)",
           {row[0], row[1]});
    insert(db,
           "INSERT INTO sources (" + std::string(kSourceColumns) + ") VALUES (" + places(row.size()) +
               ") ON CONFLICT (platform, path) DO UPDATE SET cursor = excluded.cursor, size = excluded.size,"
               " mtime = excluded.mtime, generation = excluded.generation, open_tail = excluded.open_tail",
           row);
  }
  for (const auto& row : coverage)
    insert(db,
           "INSERT INTO coverage (source_pk, record_type, disposition, reason, records, bytes) VALUES ((SELECT"
           " source_pk FROM sources WHERE platform = ? AND path = ?), ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
           row);
  for (const auto& row : sessions)
    insert(db,
           "INSERT INTO sessions (" + std::string(kSessionColumns) + ") VALUES (" + places(row.size()) +
               ") ON CONFLICT (uid) DO UPDATE SET analyzed_at = excluded.analyzed_at,"
               " evicted_at = excluded.evicted_at, evicted_through = excluded.evicted_through,"
               " next_seq = excluded.next_seq, next_exchange = excluded.next_exchange",
           row);
}

}  // namespace memd::retention
