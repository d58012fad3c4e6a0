#include "adapters/sqlite/query_sessions.hpp"

#include "adapters/json/json_text.hpp"
#include "adapters/json/json_writer.hpp"
#include "adapters/mark_fields.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/ids.hpp"

#include <zstd.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace memd::sqlite {

namespace {

constexpr std::string_view kMarkVersion = "q1";
constexpr std::string_view kHeadKey = "(session)";
constexpr std::string_view kChanged = "changed";
constexpr std::string_view kZstdMagic = "\x28\xB5\x2F\xFD";
constexpr std::size_t kMostUnpacked = std::size_t{256} << 20;

// Unpacks a value that is one or more zstd frames; nullopt if it is damaged or larger than kMostUnpacked.
std::optional<std::string> unpacked(std::string_view packed) {
  const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(), &ZSTD_freeDStream);
  std::string out;
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  std::size_t left = 1;
  while (in.pos < in.size || left != 0) {
    const std::size_t filled = out.size();
    if (filled > kMostUnpacked) return std::nullopt;
    out.resize(filled + std::max(ZSTD_DStreamOutSize(), packed.size()));
    ZSTD_outBuffer to{out.data(), out.size(), filled};
    const std::size_t before = in.pos;
    left = ZSTD_decompressStream(stream.get(), &to, &in);
    out.resize(to.pos);
    if (ZSTD_isError(left) != 0 || (in.pos == before && to.pos == filled)) return std::nullopt;
  }
  return out;
}

std::string quoted_name(std::string_view name) {
  std::string out = "\"";
  for (const char c : name)
    out.append(c == '"' ? 2 : 1, c);
  return out + "\"";
}

// Returns the columns of a subquery; only those are read from the disk.
std::string select_from(std::string_view columns, const std::string& query) {
  return "SELECT " + std::string(columns) + " FROM (" + query + ")";
}

int column_of(const Query& query, std::string_view name) {
  for (int i = 0; i < query.columns(); ++i)
    if (query.name(i) == name) return i;
  return -1;
}

}  // namespace

// The state up to which the database was read. Stored as text.
struct QuerySessions::Mark {
  // How far a query of sessions was read.
  struct Position {
    std::uint64_t sessions = 0;  // their number
    bool is_number = false;      // what `changed` is
    std::string changed;         // the largest value; empty: there is none
  };
  std::string queries;     // a hash: with other queries everything is read anew
  std::uint64_t size = 0;  // see SnapshotReader::Plan
  std::vector<Position> positions;
  std::string change;  // change_mark

  std::string text() const {
    std::string out(kMarkVersion);
    out.append("|").append(queries).append("|").append(std::to_string(size));
    for (const Position& p : positions)
      out.append("|").append(std::to_string(p.sessions)).append(p.is_number ? "|n|" : "|t|").append(p.changed);
    return out.append("|").append(change);
  }
  static Mark parse(std::string_view text, std::size_t queries) {
    Mark mark;
    mark.positions.resize(queries);
    if (ascii::take_until(text, '|') != kMarkVersion) return mark;
    mark.queries = ascii::take_until(text, '|');
    take_number(text, '|', mark.size);
    for (Position& p : mark.positions) {
      take_number(text, '|', p.sessions);
      p.is_number = ascii::take_until(text, '|') == "n";
      p.changed = ascii::take_until(text, '|');
    }
    mark.change = text;
    return mark;
  }
};

// A row as members of an object, and its bytes.
struct QuerySessions::Row {
  json::ObjectWriter object;
  std::uint64_t bytes = 0;
  std::uint64_t stored = 0;

  explicit Row(const Query& query) {
    for (int i = 0; i < query.columns(); ++i) {
      if (query.is_null(i)) continue;
      const std::string_view value = query.text(i);
      // What a query computes is not in the database, and `changed` usually repeats a column.
      const std::uint64_t counted = query.is_of_table(i) && query.name(i) != kChanged ? value.size() : 0;
      stored += counted;
      bytes += counted;
      if (query.is_number(i) && value.find_first_of("In") == std::string_view::npos) {
        object.raw(query.name(i), value);
      } else if (auto text = value.starts_with(kZstdMagic) ? unpacked(value) : std::nullopt) {
        bytes += text->size() - counted;
        object.text(query.name(i), *text);
      } else {
        object.text(query.name(i), value);
      }
    }
  }
};

Result<void> QuerySessions::open() {
  if (database_) return {};
  MEMD_TRY_ASSIGN(database_, ReadOnlyDatabase::open(files_, path_));
  const ReadTransaction whole(*database_);
  MEMD_TRY_ASSIGN(sessions_, usable(queries_.sessions));
  MEMD_TRY_ASSIGN(rows_, usable(queries_.rows));
  return {};
}

// Returns the queries whose tables and columns the database has. An error if none is left, unless it has no tables yet.
Result<std::vector<QuerySessions::Usable>> QuerySessions::usable(const std::vector<std::string>& queries) const {
  std::vector<Usable> out;
  std::optional<Error> refused;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const auto query = database_->prepare(queries[i]);
    if (query)
      out.push_back({i, queries[i]});
    else if (!query.error().is(Errc::io))
      return query.error();
    else if (!refused)
      refused = query.error();
  }
  if (!out.empty() || !refused) return out;
  MEMD_TRY_ASSIGN(auto tables, database_->prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table'"));
  MEMD_TRY_ASSIGN(const bool any, tables.step());
  if (any) return *refused;
  return out;
}

Result<std::optional<QuerySessions::Content>> QuerySessions::read(const std::string& session_key) const {
  if (queries_.shared) return read_shared(session_key);
  for (const auto& sessions : sessions_) {
    MEMD_TRY_ASSIGN(auto query, database_->prepare(select_from("*", sessions.sql) + " WHERE " +
                                                   quoted_name(queries_.id) + " = ?1"));
    MEMD_TRY_ASSIGN(const bool there, query.bind(1, session_key).step());
    if (!there) continue;
    Row row(query);
    json::ObjectWriter carried;
    for (const auto& name : queries_.carried) {
      const int column = column_of(query, name);
      if (column < 0 || query.is_null(column)) continue;
      if (query.is_number(column))
        carried.raw(name, query.text(column));
      else
        carried.text(name, query.text(column));
    }
    query.reset();
    Content content;
    content.bytes = row.bytes;
    content.stored = row.stored;
    content.head = std::move(row.object).finish();
    if (!queries_.split) {
      content.head_bytes = row.bytes;
      MEMD_TRY(add_rows(session_key, std::move(carried).finish(), content));
      return std::optional(std::move(content));
    }
    if (auto parts = queries_.split(content.head); !parts.empty())
      static_cast<SessionQueries::Parts&>(content) = std::move(parts.front());
    content.head_bytes = row.bytes;
    for (const auto& record : content.records)
      content.head_bytes -= std::min(content.head_bytes, record.bytes);
    return std::optional(std::move(content));
  }
  return std::optional<Content>();
}

Result<std::optional<QuerySessions::Content>> QuerySessions::read_shared(const std::string& session_key) const {
  std::optional<Content> found;
  for (const auto& sessions : sessions_) {
    MEMD_TRY_ASSIGN(auto query, database_->prepare(sessions.sql));
    MEMD_TRY(query.each([&] {
      Row row(query);
      auto all = queries_.split(std::move(row.object).finish());
      for (auto& parts : all) {
        if (found || parts.id != session_key) continue;
        std::uint64_t records = 0;
        for (const auto& record : parts.records)
          records += record.bytes;
        if (all.size() == 1) parts.head_bytes = row.bytes - std::min(row.bytes, records);
        static_cast<SessionQueries::Parts&>(found.emplace()) = std::move(parts);
        found->bytes = found->head_bytes + records;
        found->stored = all.size() == 1 ? row.stored : found->bytes;
      }
    }));
  }
  return found;
}

Result<void> QuerySessions::add_rows(const std::string& session_key, const std::string& carried, Content& out) const {
  std::vector<std::pair<double, SessionQueries::Record>> found;
  std::unordered_map<std::string, int> times;  // a key that is there again gets a number
  for (const auto& [number, sql] : rows_) {
    MEMD_TRY_ASSIGN(auto query, database_->prepare(sql));
    const int key = column_of(query, queries_.key);
    const int order = column_of(query, queries_.order);
    query.bind(1, session_key);
    std::size_t rows = 0;
    MEMD_TRY(query.each([&] {
      Row row(query);
      SessionQueries::Record record;
      ++rows;
      record.key = key < 0 || query.is_null(key) ? std::to_string(rows) : std::string(query.text(key));
      if (queries_.rows.size() > 1) {
        row.object.number("@query", static_cast<std::int64_t>(number + 1));
        if (number > 0) record.key = std::to_string(number + 1) + ":" + record.key;
      }
      if (const int n = ++times[record.key]; n > 1) record.key += "#" + std::to_string(n);
      if (!queries_.carried.empty()) row.object.raw("@session", carried);
      record.json = std::move(row.object).finish();
      record.bytes = row.bytes;
      out.bytes += row.bytes;
      out.stored += row.stored;
      found.emplace_back(order < 0 ? 0 : query.real(order), std::move(record));
    }));
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [order, record] : found)
    out.records.push_back(std::move(record));
  return {};
}

Result<const QuerySessions::Content*> QuerySessions::find(const std::string& session_key) {
  MEMD_TRY(open());
  if (!found_ || found_key_ != session_key) {
    const ReadTransaction whole(*database_);
    MEMD_TRY_ASSIGN(found_, read(session_key));
    found_key_ = session_key;
  }
  MEMD_TRY(database_->confirm());
  return found_ ? &*found_ : nullptr;
}

Result<SnapshotReader::Plan> QuerySessions::plan(const std::string& text) {
  database_.reset();  // the files may be read only while it is closed
  found_.reset();
  Mark since = Mark::parse(text, queries_.sessions.size());
  Mark mark = Mark::parse({}, queries_.sessions.size());
  MEMD_TRY_ASSIGN(mark.change, change_mark(files_, path_));
  std::uint64_t hash = hash64(queries_.id);
  for (const auto* queries : {&queries_.sessions, &queries_.rows})
    for (const auto& query : *queries)
      hash = hash64(query, hash);
  mark.queries = std::to_string(hash);
  if (since.queries != mark.queries) since = Mark::parse({}, queries_.sessions.size());
  Plan plan;
  plan.size = since.size;
  if (since.change == mark.change) {
    plan.mark = text;
    plan.unchanged = true;
    return plan;
  }
  MEMD_TRY(open());
  {
    const ReadTransaction whole(*database_);
    plan.complete = true;
    if (queries_.shared)
      MEMD_TRY(list_shared(plan));
    else
      for (const auto& sessions : sessions_)
        MEMD_TRY(list_sessions(sessions, since, plan, mark));
    std::unordered_set<std::string> listed;  // several queries may find a session
    std::erase_if(plan.sessions, [&](const auto& id) { return id.empty() || !listed.insert(id).second; });
    plan.size_is_estimate = !since.change.empty();
    if (!plan.size_is_estimate) MEMD_TRY(measure(plan));
  }
  MEMD_TRY(database_->confirm());
  mark.size = plan.size;
  plan.mark = mark.text();
  return plan;
}

// Lists the sessions of a query that changed since the mark, all of them if that cannot be told.
Result<void> QuerySessions::list_sessions(const Usable& sessions, const Mark& since, Plan& plan, Mark& mark) const {
  const Mark::Position& before = since.positions[sessions.number];
  Mark::Position& now = mark.positions[sessions.number];
  MEMD_TRY_ASSIGN(const auto columns, database_->prepare(sessions.sql));
  if (column_of(columns, queries_.id) < 0)
    return Error(Errc::io, path_ + ": the query of sessions has no column " + queries_.id);
  const bool told = column_of(columns, kChanged) >= 0;
  MEMD_TRY_ASSIGN(auto newest,
                  database_->prepare(select_from(told ? "count(*), max(changed)" : "count(*)", sessions.sql)));
  MEMD_TRY_ASSIGN(const bool there, newest.step());
  if (there) now.sessions = static_cast<std::uint64_t>(newest.integer(0));
  if (there && told) {
    now.changed = newest.text(1);
    now.is_number = newest.is_number(1);
    std::replace(now.changed.begin(), now.changed.end(), '|', ' ');
  }
  newest.reset();
  const bool partly = !before.changed.empty() && before.is_number == now.is_number && before.sessions <= now.sessions;
  std::string sql = select_from(quoted_name(queries_.id), sessions.sql);
  if (partly) sql += before.is_number ? " WHERE changed >= CAST(?1 AS NUMERIC)" : " WHERE changed >= ?1";
  if (told) sql += " ORDER BY changed";
  MEMD_TRY_ASSIGN(auto query, database_->prepare(sql));
  if (partly) query.bind(1, before.changed);
  if (partly) plan.complete = false;
  return query.each([&] { plan.sessions.emplace_back(query.text(0)); });
}

Result<void> QuerySessions::list_shared(Plan& plan) const {
  for (const auto& sessions : sessions_) {
    MEMD_TRY_ASSIGN(auto query, database_->prepare(sessions.sql));
    MEMD_TRY(query.each([&] {
      for (const auto& parts : queries_.split(std::move(Row(query).object).finish()))
        plan.sessions.push_back(parts.id);
    }));
  }
  return {};
}

// Counts the bytes of all values of the database: those that the queries select, and the others.
Result<void> QuerySessions::measure(Plan& plan) const {
  std::uint64_t selected = 0;
  for (const auto& session : plan.sessions) {
    MEMD_TRY_ASSIGN(const auto content, read(session));
    if (!content) continue;
    plan.size += content->bytes;
    selected += content->stored;
  }
  std::uint64_t all = 0;
  MEMD_TRY_ASSIGN(auto tables, database_->prepare("SELECT name FROM sqlite_schema WHERE type = 'table'"
                                                  " AND sql NOT LIKE 'CREATE VIRTUAL%' AND name NOT LIKE 'sqlite_%'"));
  MEMD_TRY_ASSIGN(auto columns, database_->prepare("SELECT name FROM pragma_table_info(?1)"));
  MEMD_TRY(tables.each([&]() -> Result<void> {
    std::string sum = "0";
    columns.bind(1, tables.text(0));
    MEMD_TRY(
        columns.each([&] { sum += " + coalesce(length(CAST(" + quoted_name(columns.text(0)) + " AS BLOB)), 0)"; }));
    MEMD_TRY_ASSIGN(auto total, database_->prepare("SELECT sum(" + sum + ") FROM " + quoted_name(tables.text(0))));
    MEMD_TRY_ASSIGN(const bool there, total.step());
    if (there) all += static_cast<std::uint64_t>(total.integer(0));
    return {};
  }));
  const std::uint64_t others = all - std::min(all, selected);
  plan.rest.push_back({"(not selected)", Disposition::skipped, "not_selected", others > 0 ? 1u : 0u, others});
  plan.size += others;
  return {};
}

Result<std::optional<SnapshotReader::Session>> QuerySessions::session(const std::string& session_key,
                                                                      std::span<const SourceItem>) {
  found_.reset();
  MEMD_TRY_ASSIGN(const Content* content, find(session_key));
  if (content == nullptr) return std::optional<Session>();
  Session session;
  session.session_uid = make_session_uid(queries_.platform, session_key);
  session.head = Item{std::string(kHeadKey), hash64(content->head) | 1, content->head_bytes};
  for (const auto& record : content->records)
    session.items.push_back({record.key, record.version != 0 ? record.version : hash64(record.json) | 1, record.bytes});
  return std::optional(std::move(session));
}

Result<std::string> QuerySessions::item(const std::string& session_key, const std::string& item_key) {
  MEMD_TRY_ASSIGN(const Content* content, find(session_key));
  if (content != nullptr) {
    if (item_key == kHeadKey) return content->head;
    for (const auto& record : content->records)
      if (record.key == item_key) return record.json;
  }
  return Error(Errc::not_found, path_ + ": the record is gone");
}

}  // namespace memd::sqlite
