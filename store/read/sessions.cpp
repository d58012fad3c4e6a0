#include "store/read/sessions.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/harmless.hpp"
#include "schemas/base/time.hpp"
#include "schemas/ids.hpp"
#include "schemas/project_identity.hpp"
#include "schemas/sql_text.hpp"
#include "schemas/subagent_id.hpp"
#include "store/read/row_filter.hpp"
#include "store/read/session_rows.hpp"
#include "store/read/session_titles.hpp"
#include "store/text/token_budget.hpp"

#include <boost/algorithm/string/join.hpp>

#include <algorithm>

namespace memd {
namespace {

constexpr std::size_t kEchoTokens = 60;

// Returns a query for the names of projects, that of the newest session first.
std::string projects_newest_first(const std::string& conditions) {
  return "SELECT p.name FROM sessions s JOIN projects p ON p.project_pk = s.project_pk WHERE p.name <> '' AND " +
         conditions + " GROUP BY p.name ORDER BY max(s.ended_at) DESC";
}

}  // namespace

std::vector<std::string> RecentProjectsQuery::run(sqlite::Database& db) const {
  static const std::string sql =
      projects_newest_first(sql_text("s.kind = SessionKind::main AND ").str() + std::string(queries::kHasWords)) +
      " LIMIT ?1";
  return db.query(sql, limit).all(sqlite::first_text);
}

std::string UnknownProjectQuery::run(sqlite::Database& db) const {
  if (part.empty()) return {};
  const std::string wanted = ascii::lowered(part);
  const bool known =
      db.query(
            "SELECT 1 FROM projects WHERE instr(lower(identity_key), ?1) > 0 OR instr(lower(name), ?1) > 0"
            " LIMIT 1",
            wanted)
          .any();
  if (known) return {};

  const std::string names = boost::algorithm::join(RecentProjectsQuery().run(db), ", ");
  if (names.empty()) return {};
  return "no project has \"" + harmless_line(cut_to_tokens(part, kEchoTokens).text) +
         "\" in its path or name; the newest are " + recorded(names);
}

namespace queries {
namespace {

constexpr std::size_t kMinPrefix = 4;
constexpr int kCandidates = 5;

struct Candidates {
  std::vector<std::int64_t> all;
  std::vector<std::int64_t> main;
};

Candidates collect(sqlite::Statement& q) {
  Candidates out;
  while (q.step()) {
    out.all.push_back(q.int64(0));
    if (q.int64(1) == static_cast<int>(SessionKind::main)) out.main.push_back(q.int64(0));
  }
  return out;
}

std::string described(sqlite::Database& db, const std::vector<std::int64_t>& pks) {
  std::string out;
  for (std::size_t i = 0; i < pks.size() && i < kCandidates; ++i) {
    const SessionRow row = session_by_pk(db, pks[i]);
    out += "\n  " + recorded(row.uid + "  " + format_rfc3339(row.ended_at) + "  " + row.title);
  }
  if (pks.size() > kCandidates) out += "\n  and " + std::to_string(pks.size() - kCandidates) + " more";
  return out;
}

std::vector<std::int64_t> newest_main(sqlite::Database& db, std::string_view project, int count) {
  static const std::string sql = "SELECT s.session_pk, s.kind FROM sessions s WHERE " +
                                 std::string(kSessionConditions) + " AND " + std::string(kHasWords) +
                                 " ORDER BY s.ended_at DESC, s.session_pk DESC LIMIT ?5";
  const std::string wanted = ascii::lowered(project);
  return collect(db.query(sql, "", wanted, 0, false, count)).all;
}

// Returns the single candidate, preferring a main session over its agents; 0 when there is none. Throws when several
// match.
std::int64_t only_one(sqlite::Database& db, const Candidates& found, std::string_view reference) {
  if (found.all.empty()) return 0;
  if (found.all.size() == 1) return found.all.front();
  if (found.main.size() == 1) return found.main.front();
  throw ErrorException(Error(Errc::invalid_argument, "\"" + std::string(reference) + "\" fits " +
                                                         std::to_string(found.all.size()) +
                                                         " sessions, give more of it:" + described(db, found.all)));
}

}  // namespace

std::int64_t resolve_session(sqlite::Database& db, std::string_view reference, std::string_view project) {
  if (reference == "latest" || reference == "last") {
    const auto newest = newest_main(db, project, 1);
    if (!newest.empty()) return newest.front();
    std::string why = UnknownProjectQuery{project}.run(db);
    if (why.empty())
      why = project.empty() ? "there is no session yet"
                            : "there is no session of a project like \"" + std::string(project) + "\"";
    throw ErrorException(Error(Errc::not_found, std::move(why)));
  }
  const auto parts = split_session_uid(reference);  // also parses "claude:…"
  const std::string uid = parts ? make_session_uid(parts->platform, parts->native_id) : std::string(reference);
  const auto exact =
      collect(db.query("SELECT session_pk, kind FROM sessions WHERE uid = ?1"
                       " UNION SELECT session_pk, kind FROM sessions WHERE native_id = ?2",
                       uid, reference));
  if (const auto pk = only_one(db, exact, reference)) return pk;

  std::string prefix(parts ? parts->native_id : reference);
  std::string platform(parts ? to_string(parts->platform) : "");
  if (const auto colon = reference.find(':'); !parts && colon != std::string_view::npos) {  // c:17b6b665
    platform = reference.substr(0, colon);
    prefix = reference.substr(colon + 1);
  }
  if (prefix.size() < kMinPrefix)
    throw ErrorException(Error(Errc::invalid_argument, "\"" + std::string(reference) +
                                                           "\" is no session: give \"latest\", an id, or at least " +
                                                           std::to_string(kMinPrefix) + " characters of one"));
  const auto close =
      collect(db.query("SELECT session_pk, kind FROM sessions WHERE substr(platform, 1, length(?1)) = ?1"
                       " AND substr(native_id, 1, length(?2)) = ?2 ORDER BY ended_at DESC",
                       platform, prefix));
  if (const auto pk = only_one(db, close, reference)) return pk;
  if (const auto slash = prefix.find('/'); slash != std::string::npos) {  // 17b6b665/a81c
    const auto subagents =
        collect(db.query("SELECT session_pk, kind FROM sessions WHERE substr(platform, 1, length(?1)) = ?1"
                         " AND substr(native_id, 1, length(?2)) = ?2"
                         " AND (instr(native_id, '/' || ?3) > 0 OR instr(native_id, '/' || ?4 || ?3) > 0)"
                         " ORDER BY ended_at DESC",
                         platform, prefix.substr(0, slash), prefix.substr(slash + 1), kSubagentIdBegins));
    if (const auto pk = only_one(db, subagents, reference)) return pk;
  }
  const auto newest = newest_main(db, {}, kCandidates);
  throw ErrorException(Error(Errc::not_found, "no session \"" + std::string(reference) + "\"" +
                                                  (newest.empty() ? "" : "; the newest are:" + described(db, newest))));
}

}  // namespace queries

Error SessionQuery::without_store() { return {Errc::not_found, "there is no session yet: nothing has been read"}; }

SessionRow SessionQuery::run(sqlite::Database& db) const {
  return queries::session_by_pk(db, queries::resolve_session(db, reference, project));
}

namespace {

// SQL for SessionLife::state() over `sessions s`. A session silent since `silent_before` counts as stopped.
std::string state_at(std::string_view silent_before) {
  return std::string("CASE WHEN s.stopped_at <> 0 OR (")
             .append(queries::kSilentSince)
             .append(") BETWEEN 1 AND ")
             .append(silent_before) +
         std::string(sql_text(" THEN SessionState::stopped"
                              " WHEN s.capture_disabled_at <> 0 THEN SessionState::capture_disabled"
                              " WHEN s.next_seq > 0 OR s.turns > 0 THEN SessionState::active"
                              " ELSE SessionState::started END"));
}

}  // namespace

SessionList SessionListQuery::run(sqlite::Database& db) const {
  using namespace queries;
  static const std::string where = " WHERE " + std::string(kSessionConditions) +
                                   " AND (?5 = 0 OR s.ended_at >= ?5) AND (?6 = 0 OR s.started_at < ?6)"
                                   " AND (?7 < 0 OR " +
                                   state_at("?8") + " = ?7) AND (?9 OR " + std::string(kHasWords) +
                                   ") AND (?10 < 0 OR iif(" + std::string(kJudged) + ", s.outcome, 0) = ?10)";
  static const std::string count = "SELECT count(*) FROM sessions s" + where;
  static const std::string page =
      select_sessions() + where + " ORDER BY s.ended_at DESC, s.session_pk DESC LIMIT ?11 OFFSET ?12";
  const auto c = conditions_of(db, filter);
  const auto since = filter.since;
  const auto until = filter.until;
  const int wanted = state ? static_cast<int>(state->state) : -1;
  const int outcome = state && state->outcome ? static_cast<int>(*state->outcome) : -1;
  const TimeMs silent_before = state ? state->now - state->stopped_after : 0;

  SessionList out;
  out.total = db.query(count, c.platforms, c.project, c.session_pk, c.include_subagents, since, until, wanted,
                       silent_before, placeholders, outcome)
                  .value_or(0);
  out.sessions = db.query(page, c.platforms, c.project, c.session_pk, c.include_subagents, since, until, wanted,
                          silent_before, placeholders, outcome, std::max(limit, 0), std::max(offset, 0))
                     .all([&](const auto& q) { return read_session(db, q); });
  return out;
}

TypedSessionsQuery::Answer TypedSessionsQuery::run(sqlite::Database& db) const {
  using namespace queries;
  static const std::string all =
      "SELECT s.session_pk, s.uid, substr(s.uid, 1, length(?5)) = ?5 OR substr(s.native_id, 1, length(?5)) = ?5"
      " OR instr(lower(s.title), ?6) > 0, s.title FROM sessions s WHERE " +
      std::string(kSessionConditions) + " AND " + std::string(kHasWords) +
      " ORDER BY s.ended_at DESC, s.session_pk DESC";
  static const std::string title_of =
      "SELECT " + std::string(kTitleColumns) + " FROM sessions s WHERE s.session_pk = ?1";
  const auto c = conditions_of(db, filter);
  const std::string wanted = ascii::lowered(typed);
  auto& title = db.prepare(title_of);
  const auto has_in_title = [&](std::int64_t pk) {
    const auto row = title.bind(pk).row();
    return row && ascii::lowered(session_title(row->text(0), row->text(1))).find(wanted) != std::string::npos;
  };
  Found out;
  auto& q = db.query(all, c.platforms, c.project, c.session_pk, c.include_subagents, typed, wanted);
  while (q.step()) {
    // A stored title that does not tell is replaced by one from prompts, which is in other rows.
    if (q.int64(2) == 0 && (is_informative(q.text(3)) || !has_in_title(q.int64(0)))) continue;
    if (out.total++ < limit) out.uids.push_back(q.str(1));
  }
  return out;
}

TypedProjectsQuery::Answer TypedProjectsQuery::run(sqlite::Database& db) const {
  using namespace queries;
  static const std::string sql =
      projects_newest_first(std::string(kSessionConditions) +
                            " AND instr(lower(p.name || char(10) || p.identity_key), ?5) > 0") +
      ", p.name";
  const auto c = conditions_of(db, filter);
  const std::string wanted = ascii::lowered(typed);
  auto& q = db.query(sql, c.platforms, c.project, c.session_pk, c.include_subagents, wanted);
  Found out;
  while (q.step())
    if (out.total++ < limit) out.names.push_back(q.str(0));
  return out;
}

NearestProjectQuery::Answer NearestProjectQuery::run(sqlite::Database& db) const {
  static const std::string kMainSession = sql_text(
                                              "SELECT e.identity_key, e.project_pk <> p.project_pk FROM projects p"
                                              " JOIN projects e ON e.project_pk = coalesce(p.joined_pk, p.project_pk)"
                                              " JOIN sessions s ON s.project_pk = e.project_pk"
                                              " WHERE p.identity_key = ?1 AND s.kind = SessionKind::main AND ")
                                              .str() +
                                          std::string(queries::kHasWords) + " LIMIT 1";
  auto& q = db.prepare(kMainSession);
  if (or_below) {
    std::string key = project_identity(directory).key;
    if (const auto row = q.bind(key).row(); row->int64(1) != 0) key = row->str(0);
    const std::string tree = ascii::lowered(project_tree(key));
    auto& below = db.query(
        "SELECT 1 FROM projects p WHERE instr(char(1) || lower(p.identity_key) || '/', ?1) = 1"
        " AND EXISTS (SELECT 1 FROM sessions s WHERE s.project_pk = p.project_pk) LIMIT 1",
        tree);
    if (!key.empty() && below.any()) return Found{std::string(directory), std::move(key)};
  }
  for (std::string_view at = directory; at.size() > 1; at = at.substr(0, at.rfind('/'))) {
    const std::string own = project_identity(at).key;
    std::string key = own.empty() ? std::string() : q.bind(own).value_or("");
    if (!key.empty()) return Found{std::string(at), std::move(key)};
    if (at.find('/') == std::string_view::npos) break;
  }
  return std::nullopt;
}

std::vector<SessionRow> SubagentsQuery::run(sqlite::Database& db) const {
  using namespace queries;
  static const std::string sql =
      select_sessions() + " WHERE s.parent_uid = ?1 AND s.parent_uid <> '' ORDER BY s.started_at, s.session_pk";
  return db.query(sql, session_uid).all([&](const sqlite::Statement& q) { return read_session(db, q); });
}

}  // namespace memd
