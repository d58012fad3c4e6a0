#include "store/read/file_history.hpp"

#include "schemas/file_history.hpp"
#include "schemas/project_identity.hpp"
#include "schemas/sql_text.hpp"
#include "store/db/database.hpp"
#include "store/db/rows.hpp"
#include "store/read/commits.hpp"
#include "store/read/file_touches.hpp"
#include "store/read/row_filter.hpp"
#include "store/read/session_rows.hpp"
#include "store/text/event_summary.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace memd {

std::string_view queries::below_project(std::string_view path, std::string_view key) {
  if (path.size() <= key.size() + 1 || !path.starts_with(key) || path[key.size()] != '/') return {};
  const ProjectIdentity of_path = project_identity(path);
  if (of_path.key == key && !of_path.worktree.empty()) {
    const std::string worktree = "/" + of_path.worktree + "/";
    if (const auto at = path.find(worktree, key.size()); at != std::string_view::npos)
      return path.substr(at + worktree.size());
  }
  return path.substr(key.size() + 1);
}

namespace {

using queries::below_project;

constexpr int kMostSimilar = 8;

void collect_paths(sqlite::Statement& q, PathFinding& out) {
  while (q.step()) {
    if (static_cast<int>(out.paths.size()) == kMostPaths) {
      out.more = true;
      break;
    }
    out.paths.push_back({q.int64(0), q.str(1)});
  }
  q.reset();
}

std::string_view name_of(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool is_pattern(std::string_view text) { return text.find_first_of("*?[") != std::string_view::npos; }

// Adds the same file in other worktrees of the repository, and in directories that are joined to its project.
void add_joined_paths(sqlite::Database& db, const std::string& text, PathFinding& out) {
  const auto row = db.query(
                         "SELECT identity_key, coalesce(joined_pk, project_pk) FROM projects WHERE identity_key <> ''"
                         " AND substr(?1, 1, length(identity_key) + 1) = identity_key || '/'"
                         " ORDER BY length(identity_key) DESC LIMIT 1",
                         text)
                       .row();
  const std::string key = row->str(0);
  const std::int64_t group = row->int64(1);
  const std::string_view rest = below_project(text, key);
  if (key.empty() || rest.empty()) return;
  const auto members = db.query("SELECT identity_key FROM projects WHERE coalesce(joined_pk, project_pk) = ?1", group)
                           .all(sqlite::first_text);
  PathFinding named;
  collect_paths(
      db.query("SELECT path_pk, path FROM paths WHERE name = ?1 AND path <> ?2 ORDER BY path", name_of(text), text),
      named);
  for (KnownPath& path : named.paths)
    if (std::ranges::any_of(members, [&](const auto& member) { return below_project(path.path, member) == rest; }))
      out.paths.push_back(std::move(path));
}

bool by_file(sqlite::Database& db, const std::string& text, PathFinding& out) {
  out.fit = PathFit::exact;
  if (text.starts_with('/') || text.find(':') == 1) {
    collect_paths(db.query("SELECT path_pk, path FROM paths WHERE path = ?1 OR path = replace(?1, '/', '\\')", text),
                  out);
    add_joined_paths(db, text, out);
    return !out.paths.empty();
  }
  // With `name = …` the index yields only the few paths whose suffixes must be compared.
  const std::string name(name_of(text));
  auto& q = db.query(
      "SELECT path_pk, path FROM paths WHERE name = ?1 AND (path = ?2"
      " OR substr(replace(path, '\\', '/'), -length(?2) - 1) = '/' || ?2) ORDER BY path",
      name, text);
  collect_paths(q, out);
  if (out.paths.size() != 1 || out.paths.front().path != text) out.fit = PathFit::suffix;
  return !out.paths.empty();
}

bool by_directory(sqlite::Database& db, std::string text, PathFinding& out) {
  while (text.size() > 1 && text.ends_with('/'))
    text.pop_back();
  out.fit = PathFit::directory;
  const std::string first = text == "/" ? text : text + "/";
  std::string behind = first;
  behind.back() = '0';  // the character after '/'
  collect_paths(db.query("SELECT path_pk, path FROM paths WHERE path >= ?1 AND path < ?2 ORDER BY path", first, behind),
                out);
  if (!out.paths.empty() || text.starts_with('/')) return !out.paths.empty();
  const std::string slash = "/" + first;
  std::string backslash = slash;
  std::replace(backslash.begin(), backslash.end(), '/', '\\');
  auto& q = db.query("SELECT path_pk, path FROM paths WHERE instr(path, ?1) > 0 OR instr(path, ?2) > 0 ORDER BY path",
                     slash, backslash);
  collect_paths(q, out);
  return !out.paths.empty();
}

// Returns a pattern that the name of every matching path fits. '*' also matches '/', so text before the last '*' may
// match a directory and is dropped. Empty: no constraint on the name.
std::string name_pattern(std::string_view pattern) {
  std::string_view last = name_of(pattern);
  if (last.find('[') != std::string_view::npos || last.find(']') != std::string_view::npos) return {};
  if (const auto star = last.rfind('*'); star != std::string_view::npos) last.remove_prefix(star);
  return std::string(last);
}

bool by_pattern(sqlite::Database& db, const std::string& text, PathFinding& out) {
  out.fit = PathFit::pattern;
  const bool of_names = text.find('/') == std::string::npos;
  const std::string whole = of_names ? "*" : text.starts_with('/') || text.starts_with('*') ? text : "*/" + text;
  const std::string name = of_names ? text : name_pattern(text);
  // The `name` column is computed from the path. The index stores it, so thousands of names are compared without
  // computing them.
  auto& q = name.find_first_not_of('*') == std::string::npos
                ? db.prepare("SELECT path_pk, path FROM paths WHERE replace(path, '\\', '/') GLOB ?2 ORDER BY path")
                : db.prepare(
                      "SELECT p.path_pk, p.path FROM (SELECT path_pk AS pk FROM paths INDEXED BY paths_by_name"
                      " WHERE name GLOB ?1) CROSS JOIN paths p ON p.path_pk = pk"
                      " WHERE replace(p.path, '\\', '/') GLOB ?2 ORDER BY p.path");
  q.bind_at(1, name);
  q.bind_at(2, whole);
  collect_paths(q, out);
  return !out.paths.empty();
}

void add_similar(sqlite::Database& db, std::string_view text, PathFinding& out) {
  while (text.ends_with('/'))
    text.remove_suffix(1);
  std::string_view stem = name_of(text);
  if (const auto dot = stem.rfind('.'); dot != std::string_view::npos && dot > 0) stem = stem.substr(0, dot);
  if (stem.size() < 3) return;
  // Finds the names from the index alone.
  const std::string part(stem);
  out.similar = db.query(
                      "SELECT p.path FROM (SELECT path_pk AS pk, length(name) AS n FROM paths INDEXED BY paths_by_name"
                      " WHERE instr(lower(name), lower(?1)) > 0 ORDER BY n LIMIT ?2)"
                      " JOIN paths p ON p.path_pk = pk ORDER BY n, p.path",
                      part, kMostSimilar)
                    .all(sqlite::first_text);
}

}  // namespace

PathFinding PathQuery::run(sqlite::Database& db) const {
  std::string path(text);
  std::replace(path.begin(), path.end(), '\\', '/');
  while (path.starts_with("./"))
    path.erase(0, 2);
  PathFinding out;
  if (path.empty()) return out;
  const bool directory = path.ends_with('/');
  if (!directory && by_file(db, path, out)) return out;
  // A directory may be named like a pattern: app/[id].
  if ((is_pattern(path) && by_pattern(db, path, out)) || by_directory(db, path, out)) return out;
  out.fit = PathFit::none;
  add_similar(db, path, out);
  return out;
}

namespace queries {
namespace {

struct Span {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

// Returns the first and last touch of the files within the exchange.
Span touched_span(sqlite::Database& db, const FileUse& use, const Span& exchange) {
  auto& q = db.prepare(
      "SELECT min(seq), max(seq) FROM events WHERE session_pk = ?1 AND seq BETWEEN ?2 AND ?3 AND path_pk = ?4");
  Span out{exchange.last + 1, exchange.first - 1};
  for (const auto& file : use.files) {
    if (const auto row = q.bind(use.session_pk, exchange.first, exchange.last, file.path_pk).row(); !row->is_null(0))
      out = {std::min(out.first, row->int64(0)), std::max(out.last, row->int64(1))};
  }
  return out.first > out.last ? exchange : out;
}

std::string summary_of(sqlite::Database& db, std::string_view sql, std::int64_t session, std::int64_t from,
                       std::int64_t to) {
  return db.query(sql, session, from, to).value_or("");
}

// Finds the next test run. Includes the following exchange, because people say "now run the tests".
std::optional<TestRun> test_behind(sqlite::Database& db, std::int64_t session, std::int64_t seq, std::int64_t end) {
  auto& q = db.query(sql_text("SELECT summary, seq FROM events WHERE session_pk = ?1 AND seq > ?2"
                              " AND kind = EventKind::test_run AND seq <= coalesce((SELECT last_seq FROM exchanges"
                              " WHERE session_pk = ?1 AND first_seq > ?3 ORDER BY exchange_number LIMIT 1), ?3)"
                              " ORDER BY seq LIMIT 1"),
                     session, seq, end);
  std::optional<TestRun> out;
  if (const auto row = q.row()) out = TestRun{outcome_of_test_run(row->text(0)), row->str(0), row->int64(1) <= end};
  return out;
}

std::string beginning_of_answer(std::string_view response, std::int64_t offset) {
  constexpr std::size_t kBytes = 400;
  if (offset < 0 || static_cast<std::size_t>(offset) >= response.size()) return {};
  response.remove_prefix(static_cast<std::size_t>(offset));
  std::size_t end = std::min(kBytes, response.size());
  while (end < response.size() && end > 0 && (static_cast<unsigned char>(response[end]) & 0xC0U) == 0x80U)
    --end;
  return std::string(response.substr(0, end));
}

std::string path_of(sqlite::Database& db, std::int64_t path_pk) {
  return db.query("SELECT path FROM paths WHERE path_pk = ?", path_pk).value_or("");
}

// Sets the members after `files`: texts, outcome, commit.
void add_details(sqlite::Database& db, FileUse& use) {
  auto& q = db.query(
      "SELECT first_seq, last_seq, origin, substr(user_message, 1, 2000), assistant_response, tool_errors,"
      " answer_offset"
      " FROM exchanges WHERE exchange_pk = ?",
      use.exchange_id);
  Span exchange;
  std::int64_t answer_offset = 0;
  if (const auto row = q.row()) {
    sqlite::read(*row, exchange, use.origin, use.user_message, use.assistant_response, use.tool_errors, answer_offset);
  }
  const Span touched = touched_span(db, use, exchange);
  use.said_before = summary_of(db,
                               sql_text("SELECT summary FROM events WHERE session_pk = ? AND seq >= ? AND seq < ?"
                                        " AND kind = EventKind::assistant_msg AND summary NOT IN ('', '<thinking>')"
                                        " ORDER BY seq DESC LIMIT 1"),
                               use.session_pk, exchange.first, touched.first);
  if (use.said_before.empty()) use.said_before = beginning_of_answer(use.assistant_response, answer_offset);
  use.last_error = summary_of(db,
                              sql_text("SELECT summary FROM events WHERE session_pk = ? AND seq > ? AND seq <= ?"
                                       " AND kind = EventKind::error ORDER BY seq DESC LIMIT 1"),
                              use.session_pk, touched.first, exchange.last);
  const bool changed = std::any_of(use.files.begin(), use.files.end(),
                                   [](const ExchangeFile& f) { return f.access == FileAccess::modified; });
  if (!changed) return;
  use.test = test_behind(db, use.session_pk, touched.last, exchange.last);
  use.commit = commit_after(db, use.session_pk, touched.last);
}

FileUseSession session_of_use(sqlite::Database& db, std::int64_t session_pk) {
  FileUseSession out{session_by_pk(db, session_pk), {}};
  for (PullRequestRow& request : pull_requests_of(db, session_pk))
    out.pull_requests.push_back(std::move(request.url));
  return out;
}

// Returns the edits of the file made in the exchange, in order.
std::vector<EditPlace> edits_of(sqlite::Database& db, ExchangeId exchange, std::int64_t path_pk) {
  // The parent of an assembled edit is the tool result or the tool call it was found in. The pair of that event is the
  // other of the two.
  auto& q = db.query(sql_text("SELECT x.session_pk, e.time, e.seq, e.flags, e.parent_seq, p.pair_seq, p.kind"
                              " FROM exchanges x CROSS JOIN events e ON e.session_pk = x.session_pk"
                              " AND e.seq BETWEEN x.first_seq AND x.last_seq LEFT"
                              " JOIN events p ON p.session_pk = e.session_pk AND p.seq = e.parent_seq"
                              " WHERE x.exchange_pk = ?1 AND e.kind = EventKind::edit AND e.path_pk = ?2"
                              " AND e.flags & ?3 = 0 ORDER BY e.seq"),
                     exchange, path_pk, static_cast<std::uint32_t>(kFlagPlanned));
  std::vector<EditPlace> out;
  while (q.step()) {
    EditPlace edit{exchange, q.int64(0), q.int64(1), {}};
    const bool derived = (q.int64(3) & kFlagDerived) != 0;
    if (!derived || q.is_null(4)) {
      edit.records.push_back(q.int64(2));
    } else {
      edit.records.push_back(q.int64(4));
      if (!q.is_null(5)) edit.records.push_back(q.int64(5));
      // The result first: it may contain line positions, the call only the texts.
      if (edit.records.size() == 2 && static_cast<EventKind>(q.int64(6)) == EventKind::tool_call)
        std::swap(edit.records[0], edit.records[1]);
    }
    out.push_back(std::move(edit));
  }
  return out;
}

constexpr std::size_t kPathsListed = 20;

struct Total : PathTotal {
  std::int64_t pk = 0;
  const Touch* counted = nullptr;
  std::vector<const Touch*> touches;  // the newest of each session
};

void add_lines(TouchFilter& filter, std::vector<Total>& totals) {
  std::vector<std::int64_t> paths;
  for (const Total& total : totals)
    paths.push_back(total.pk);
  if (paths.empty()) return;
  auto& q = filter.select("f.path_pk, sum(f.lines_added), sum(f.lines_removed)", paths, filter.timed(),
                          " GROUP BY f.path_pk");
  while (q.step()) {
    const auto it = std::find_if(totals.begin(), totals.end(), [&](const Total& t) { return t.pk == q.int64(0); });
    if (it != totals.end()) it->lines_added = q.int64(1), it->lines_removed = q.int64(2);
  }
}

// Removes the touches of exchanges that changed none of the files from `touches` and returns them.
std::vector<Touch> without_edits(std::vector<Touch>& touches) {
  std::set<std::pair<std::int64_t, std::int64_t>> changed;
  for (const Touch& t : touches)
    if (t.access == FileAccess::modified) changed.emplace(t.session_pk, t.exchange_number);
  const auto rest = std::stable_partition(touches.begin(), touches.end(), [&](const Touch& t) {
    return changed.contains({t.session_pk, t.exchange_number});
  });
  std::vector<Touch> out(rest, touches.end());
  touches.erase(rest, touches.end());
  return out;
}

// Adds the totals of paths. `sessions`: newest first, as many as kPathsListed paths need.
void add_totals(sqlite::Database& db, TouchFilter& filter, const std::vector<TouchedSession>& sessions,
                FileHistory& out) {
  std::vector<Total> totals;
  std::unordered_map<std::int64_t, std::size_t> of_path;
  for (const TouchedSession& session : sessions) {
    out.total_exchanges += static_cast<std::int64_t>(session.exchanges);
    for (const Touch& t : session.touches) {
      const auto [it, fresh] = of_path.try_emplace(t.path_pk, of_path.size());
      if (it->second >= kPathsListed) continue;
      if (fresh) totals.emplace_back().pk = t.path_pk;
      Total& total = totals[it->second];
      if (total.counted == nullptr || !same_exchange(*total.counted, t)) ++total.exchanges;
      total.counted = &t;
      if (total.touches.empty() || total.touches.back()->session_pk != t.session_pk) total.touches.push_back(&t);
    }
  }
  std::unordered_set<std::int64_t> distinct;
  for (const TouchedSession& session : sessions)
    distinct.insert(session.touches.front().session_pk);
  out.total_sessions = static_cast<std::int64_t>(distinct.size());
  out.total_paths = static_cast<std::int64_t>(of_path.size());
  add_lines(filter, totals);
  for (Total& total : totals) {
    for (const Touch* t : total.touches) {
      Touch touch = *t;
      load_exchange(db, touch);
      total.last = std::max(total.last, touch.time);
    }
    total.path = path_of(db, total.pk);
  }
  std::stable_sort(totals.begin(), totals.end(), [](const Total& a, const Total& b) { return a.last > b.last; });
  for (Total& total : totals)
    out.paths.push_back(std::move(total));
}

// Returns the files of one exchange's touches.
std::vector<ExchangeFile> files_of(sqlite::Database& db, std::span<const Touch> touches) {
  auto& q = db.prepare(
      "SELECT touches, lines_added, lines_removed FROM exchange_files"
      " WHERE session_pk = ? AND exchange_number = ? AND path_pk = ? AND access = ?");
  std::vector<ExchangeFile> out;
  for (const Touch& t : touches) {
    if (const auto row = q.bind(t.session_pk, t.exchange_number, t.path_pk, static_cast<int>(t.access)).row())
      out.push_back({t.exchange_number, t.path_pk, {}, t.access, row->int64(0), row->int64(1), row->int64(2)});
  }
  for (ExchangeFile& file : out)
    file.path = path_of(db, file.path_pk);
  return out;
}

}  // namespace

}  // namespace queries

FileHistory FileHistoryQuery::run(sqlite::Database& db) const {
  using namespace queries;
  TouchFilter touched(db, *this);
  auto edited = touched.touches(touched.timed());
  auto rest = without_edits(edited);
  const auto wanted = static_cast<std::size_t>(offset) + static_cast<std::size_t>(limit);
  auto sessions = newest_first(db, edited, wanted, kPathsListed);
  for (const TouchedSession& session : newest_first(db, rest, wanted, kPathsListed))
    sessions.push_back(session);
  FileHistory out;
  add_totals(db, touched, sessions, out);
  std::size_t at = 0;
  for (const TouchedSession& session : sessions) {
    if (at >= wanted) break;
    for (std::size_t i = 0, end = 0; i < session.touches.size() && at < wanted; i = end) {
      for (end = i; end < session.touches.size() && same_exchange(session.touches[i], session.touches[end]);)
        ++end;
      if (at++ < static_cast<std::size_t>(offset)) continue;
      Touch& touch = session.touches[i];
      load_exchange(db, touch);
      FileUse use;
      use.exchange_id = touch.exchange_id;
      use.session_pk = touch.session_pk;
      use.exchange_number = touch.exchange_number;
      use.time = touch.time;
      use.files = files_of(db, session.touches.subspan(i, end - i));
      add_details(db, use);
      out.uses.push_back(std::move(use));
    }
  }
  for (const FileUse& use : out.uses)
    if (std::none_of(out.sessions.begin(), out.sessions.end(),
                     [&](const FileUseSession& s) { return s.pk == use.session_pk; }))
      out.sessions.push_back(session_of_use(db, use.session_pk));
  return out;
}

EditPlaces EditPlacesQuery::run(sqlite::Database& db) const {
  using namespace queries;
  TouchFilter filter(db, touches);
  auto all = filter.touches(true);
  std::sort(all.begin(), all.end(), [](const Touch& a, const Touch& b) {
    return a.time != b.time ? a.time > b.time : a.exchange_id > b.exchange_id;
  });
  EditPlaces out;
  for (const Touch& t : all) {
    if (static_cast<int>(out.edits.size()) >= limit) {
      out.more = true;
      break;
    }
    auto edits = edits_of(db, t.exchange_id, t.path_pk);
    out.edits.insert(out.edits.end(), edits.begin(), edits.end());
  }
  std::stable_sort(out.edits.begin(), out.edits.end(),
                   [](const EditPlace& a, const EditPlace& b) { return a.time < b.time; });
  return out;
}

}  // namespace memd
