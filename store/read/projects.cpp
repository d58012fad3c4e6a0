#include "store/read/projects.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/harmless.hpp"
#include "schemas/project_identity.hpp"
#include "schemas/query.hpp"
#include "schemas/sql_text.hpp"
#include "store/db/rows.hpp"
#include "store/read/row_filter.hpp"
#include "store/read/sessions.hpp"

#include <algorithm>
#include <functional>

namespace memd {
namespace {

constexpr std::size_t kProjectsNamed = 8;

ProjectJoin join_of(bool joined, std::string_view merged_into, std::string_view key, bool is_worktree) {
  if (merged_into == key) return ProjectJoin::apart;
  if (!joined) return ProjectJoin::none;
  if (!merged_into.empty()) return ProjectJoin::person;
  return is_worktree ? ProjectJoin::worktree : ProjectJoin::remote;
}

bool has_part(const KnownProjectRow& p, const std::string& lowered) {
  return ascii::lowered(p.key).find(lowered) != std::string::npos ||
         ascii::lowered(p.name).find(lowered) != std::string::npos;
}

// Returns the shortest end of its path, from a slash on, that no other project has.
std::string shortest_name(const KnownProjectRow& project, const std::vector<KnownProjectRow>& all) {
  for (std::size_t slash = project.key.rfind('/'); slash != std::string::npos && slash > 0;
       slash = project.key.rfind('/', slash - 1)) {
    std::string end = project.key.substr(slash + 1);
    const std::string lowered = ascii::lowered(end);
    if (std::ranges::count_if(all, [&](const KnownProjectRow& p) { return has_part(p, lowered); }) == 1) return end;
  }
  return project.key;
}

// Names them, those with most sessions first.
std::string listed(std::vector<KnownProjectRow> projects, const std::vector<KnownProjectRow>& all) {
  std::ranges::stable_sort(projects, std::greater{}, &KnownProjectRow::sessions);
  std::string out;
  for (std::size_t i = 0; i < std::min(projects.size(), kProjectsNamed); ++i)
    out += "\n  " + recorded(shortest_name(projects[i], all)) + "  (" + recorded(projects[i].key) + ", " +
           std::to_string(projects[i].sessions) + (projects[i].sessions == 1 ? " session)" : " sessions)");
  if (projects.size() > kProjectsNamed) out += "\n  and " + std::to_string(projects.size() - kProjectsNamed) + " more";
  return out;
}

}  // namespace

std::string_view to_string(ProjectJoin join) {
  switch (join) {
    case ProjectJoin::none: return "";
    case ProjectJoin::worktree: return "worktree";
    case ProjectJoin::remote: return "remote";
    case ProjectJoin::person: return "merged";
    case ProjectJoin::apart: return "apart";
  }
  return "";
}

ProjectListQuery::Answer ProjectListQuery::run(sqlite::Database& db) const {
  static const std::string sql =
      "SELECT p.identity_key, p.name, coalesce(e.identity_key, ''), p.merged_into, p.worktree <> '',"
      " coalesce(own.sessions, 0) FROM projects p LEFT JOIN projects e ON e.project_pk = p.joined_pk LEFT JOIN"
      " (SELECT s.own_project_pk, count(*) AS sessions FROM sessions s WHERE " +
      sql_text("s.kind = SessionKind::main AND ").str() + std::string(queries::kHasWords) +
      " GROUP BY s.own_project_pk) own ON own.own_project_pk = p.project_pk"
      " WHERE own.sessions > 0 OR p.joined_pk IS NOT NULL OR p.merged_into <> ''"
      " OR p.project_pk IN (SELECT joined_pk FROM projects) ORDER BY p.identity_key";
  std::vector<KnownProjectRow> out;
  auto& q = db.prepare(sql);
  while (q.step()) {
    KnownProjectRow& p = out.emplace_back();
    sqlite::read(q, p.key, p.name, p.joined_to);
    p.join = join_of(!p.joined_to.empty(), q.text(3), p.key, q.int64(4) != 0);
    p.sessions = q.int64(5);
  }
  return out;
}

WorktreeQuery::Answer WorktreeQuery::run(sqlite::Database& db) const {
  auto& q = db.query(
      "SELECT s.cwd, CASE WHEN o.worktree <> '' THEN o.worktree WHEN o.merged_into = '' THEN o.name END"
      " FROM sessions s LEFT JOIN projects o ON o.project_pk = s.own_project_pk AND o.joined_pk IS NOT NULL"
      " WHERE s.session_pk = ?1",
      session_pk);
  std::string out;
  if (const auto row = q.row()) {
    out = project_identity(row->text(0)).worktree;
    if (out.empty()) out = row->str(1);
  }
  return out;
}

ProjectFilterQuery::Answer ProjectFilterQuery::run(sqlite::Database& db) const {
  const auto named = db.query(
                           "SELECT identity_key FROM projects p WHERE (identity_key = ?1 OR identity_key = ?2 OR"
                           " lower(name) = ?3) AND EXISTS (SELECT 1 FROM sessions s"
                           " WHERE s.project_pk = p.project_pk OR s.own_project_pk = p.project_pk) LIMIT 2",
                           text, project_identity(text).key, ascii::lowered(text))
                         .all(sqlite::first_text);
  return !text.empty() && named.size() == 1 ? project_tree(named.front()) : text;
}

FindProjectQuery::Answer FindProjectQuery::run(sqlite::Database& db) const {
  const auto all = ProjectListQuery{}.run(db);
  const std::string path = project_identity(text).key;
  const std::string wanted = ascii::lowered(text);
  const std::function<bool(const KnownProjectRow&)> ways[] = {
      [&](const KnownProjectRow& p) { return p.key == text || p.key == path; },
      [&](const KnownProjectRow& p) {  // what belongs to another one of the name is not meant besides
        const auto is_named = [&](const KnownProjectRow& o) { return ascii::lowered(o.name) == wanted; };
        return is_named(p) &&
               std::ranges::none_of(all, [&](const auto& o) { return o.key == p.joined_to && is_named(o); });
      },
      [&](const KnownProjectRow& p) { return has_part(p, wanted); }};
  const auto is_here = [&](const KnownProjectRow& p) { return project_tree(p.key) == here; };
  for (const auto& fits : ways) {
    std::vector<KnownProjectRow> found;
    std::copy_if(all.begin(), all.end(), std::back_inserter(found), fits);
    if (found.size() == 1) return std::move(found.front());
    if (const auto own = std::ranges::find_if(found, is_here); own != found.end()) return std::move(*own);
    if (found.size() > 1)
      throw ErrorException(Error(Errc::invalid_argument, recorded(text) + " fits " + std::to_string(found.size()) +
                                                             " projects; name one by:" + listed(found, all)));
  }
  std::string why = UnknownProjectQuery{text}.run(db);
  throw ErrorException(Error(Errc::not_found, why.empty() ? "no project is like " + recorded(text) : std::move(why)));
}

}  // namespace memd
