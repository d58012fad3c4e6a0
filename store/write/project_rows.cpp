#include "store/write/project_rows.hpp"

#include "schemas/base/error.hpp"
#include "schemas/project_identity.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace memd {
namespace {

// projects.sight. Append, never renumber.
enum class Sight : std::uint8_t { none = 0, own = 1, worktree = 2 };

std::int64_t project_with_key(sqlite::Database& db, std::string_view key) {
  return db.query("SELECT project_pk FROM projects WHERE identity_key = ?", key).value_or(0);
}

std::int64_t intern_key(sqlite::Database& db, std::string_view key, std::string_view name) {
  if (const auto pk = project_with_key(db, key); pk != 0) return pk;
  db.run("INSERT INTO projects (identity_key, name) VALUES (?, ?)", key, name);
  return db.last_insert_rowid();
}

struct KnownProject {
  std::int64_t pk = 0;
  std::string key;
  Sight sight = Sight::none;
  std::string repository;
  std::string merged_into;
  std::int64_t joined = 0;  // as stored
  std::string remote;       // of its sessions; empty: none, or several
};

// All projects, and what each belongs to.
class ProjectGroups {
 public:
  explicit ProjectGroups(sqlite::Database& db);

  const std::vector<KnownProject>& all() const { return all_; }
  std::int64_t target_of(std::size_t at) { return all_[follow(at)].pk; }

 private:
  std::size_t find_or_add(const std::string& key);
  std::size_t next_of(std::size_t at);
  std::size_t by_remote(std::size_t at);
  std::optional<std::size_t> target_in(const std::vector<std::size_t>& group);
  std::size_t follow(std::size_t at);

  sqlite::Database& db_;
  std::vector<KnownProject> all_;
  std::unordered_map<std::string, std::size_t> by_key_;
  std::map<std::string, std::vector<std::size_t>> remotes_;
  std::map<std::string, std::optional<std::size_t>> targets_;  // of the remotes asked for; nullopt: each stands alone
};

ProjectGroups::ProjectGroups(sqlite::Database& db) : db_(db) {
  std::unordered_map<std::int64_t, std::size_t> places;
  auto& q = db.prepare(
      "SELECT project_pk, identity_key, sight, repository, merged_into, coalesce(joined_pk, 0) FROM projects");
  while (q.step()) {
    places[q.int64(0)] = all_.size();
    by_key_[q.str(1)] = all_.size();
    all_.push_back({q.int64(0), q.str(1), static_cast<Sight>(q.int64(2)), q.str(3), q.str(4), q.int64(5), {}});
  }
  std::map<std::size_t, std::set<std::string>> named;
  auto& remotes = db.prepare("SELECT DISTINCT own_project_pk, repo FROM sessions WHERE repo <> ''");
  while (remotes.step())
    if (const auto at = places.find(remotes.int64(0)); at != places.end())
      named[at->second].insert(remote_identity(remotes.text(1)));
  for (const auto& [at, remote] : named) {
    if (remote.size() != 1 || remote.begin()->empty()) continue;
    all_[at].remote = *remote.begin();
    remotes_[all_[at].remote].push_back(at);
  }
  // A repository of which only worktrees have sessions.
  for (std::size_t i = 0, count = all_.size(); i < count; ++i)
    if (all_[i].sight == Sight::worktree) find_or_add(std::string(all_[i].repository));
}

std::size_t ProjectGroups::find_or_add(const std::string& key) {
  const auto [it, is_new] = by_key_.try_emplace(key, all_.size());
  if (is_new) all_.push_back({intern_key(db_, key, project_identity(key).name), key, Sight::none, {}, {}, 0, {}});
  return it->second;
}

std::size_t ProjectGroups::by_remote(std::size_t at) {
  const auto group = remotes_.find(all_[at].remote);
  if (all_[at].remote.empty() || group == remotes_.end()) return at;
  const auto known = targets_.find(group->first);
  if (known != targets_.end()) return known->second.value_or(at);
  const auto target = target_in(group->second);
  targets_.emplace(group->first, target);
  return target.value_or(at);
}

// Returns the project to which all of one remote belong: the repository that was seen, if there is one; if none was
// seen, the shortest path outside of worktrees.
std::optional<std::size_t> ProjectGroups::target_in(const std::vector<std::size_t>& group) {
  std::set<std::string> seen;
  for (const std::size_t i : group)
    if (all_[i].sight != Sight::none && !all_[i].repository.empty()) seen.insert(all_[i].repository);
  if (seen.size() > 1) return std::nullopt;
  if (seen.size() == 1) return find_or_add(*seen.begin());
  const auto order = [this](std::size_t i) {
    const std::string& key = all_[i].key;
    return std::tuple(key.find("/worktrees/") != std::string::npos, key.size(), std::string_view(key));
  };
  return *std::min_element(group.begin(), group.end(),
                           [&](std::size_t a, std::size_t b) { return order(a) < order(b); });
}

std::size_t ProjectGroups::next_of(std::size_t at) {
  const KnownProject& p = all_[at];
  if (!p.merged_into.empty()) {
    const auto into = by_key_.find(p.merged_into);
    return into == by_key_.end() ? at : into->second;
  }
  switch (p.sight) {
    case Sight::own: return at;
    case Sight::worktree: return find_or_add(std::string(p.repository));
    case Sight::none: break;
  }
  return by_remote(at);
}

std::size_t ProjectGroups::follow(std::size_t at) {
  std::set<std::size_t> passed;
  while (passed.insert(at).second) {
    const std::size_t next = next_of(at);
    if (next == at) return at;
    at = next;
  }
  return *passed.begin();  // a circle, which only a worktree that became a repository can make
}

}  // namespace

namespace assembly {

std::int64_t ProjectRows::intern(std::string_view cwd) {
  const ProjectIdentity project = project_identity(cwd);
  if (const auto pk = project_with_key(db_, project.key); pk != 0) return pk;
  settle_ = true;
  return intern_key(db_, project.key, project.name);
}

void ProjectRows::settle() {
  if (std::exchange(settle_, false)) projects::join(db_);
}

}  // namespace assembly

namespace projects {

void join(sqlite::Database& db) {
  // Sessions from records of before schema version 25.
  db.exec(
      "UPDATE sessions SET own_project_pk = project_pk, project_pk = (SELECT coalesce(p.joined_pk, p.project_pk)"
      " FROM projects p WHERE p.project_pk = sessions.project_pk)"
      " WHERE own_project_pk IS NULL AND project_pk IS NOT NULL");
  ProjectGroups groups(db);
  for (std::size_t i = 0; i < groups.all().size(); ++i) {
    const std::int64_t target = groups.target_of(i);
    const KnownProject& p = groups.all()[i];
    const std::int64_t joined = target == p.pk ? 0 : target;
    if (joined == p.joined) continue;
    db.run("UPDATE projects SET joined_pk = nullif(?2, 0) WHERE project_pk = ?1", p.pk, joined);
    db.run("UPDATE sessions SET project_pk = ?2 WHERE own_project_pk = ?1", p.pk, target);
  }
}

void note(sqlite::Database& db, std::span<const DirectorySight> sights) {
  bool changed = false;
  for (const DirectorySight& sight : sights) {
    const ProjectIdentity project = project_identity(sight.directory);
    const bool elsewhere = !sight.worktree.empty() && sight.repository != project.key;
    db.run(
        "UPDATE projects SET sight = ?2, repository = ?3, worktree = ?4 WHERE identity_key = ?1"
        " AND (sight, repository, worktree) IS NOT (?2, ?3, ?4)",
        project.key, static_cast<int>(elsewhere ? Sight::worktree : Sight::own), sight.repository,
        elsewhere ? std::string_view(sight.worktree) : std::string_view());
    changed = changed || db.changes() > 0;
  }
  if (changed) join(db);
}

Result<void> merge(sqlite::Database& db, std::string_view key, std::string_view into) {
  auto& belongs = db.query(
      "SELECT 1 FROM projects b JOIN projects a ON a.project_pk = coalesce(b.joined_pk, b.project_pk)"
      " WHERE b.identity_key = ?2 AND a.identity_key = ?1",
      key, into);
  const bool circle = belongs.any();
  if (circle)
    return Error(Errc::invalid_argument, std::string(into) + " belongs to " + std::string(key) +
                                             " already; split it first, or join the others");
  db.run("UPDATE projects SET merged_into = ?2 WHERE identity_key = ?1", key, into);
  join(db);
  return {};
}

bool split(sqlite::Database& db, std::string_view key) {
  db.run(
      "UPDATE projects SET merged_into = iif(merged_into = '', identity_key, '')"
      " WHERE identity_key = ? AND joined_pk IS NOT NULL",
      key);
  const bool done = db.changes() > 0;
  join(db);
  return done;
}

void take_over(sqlite::Database& from, sqlite::Database& to) {
  auto& known = from.prepare(
      "SELECT identity_key, sight, repository, worktree, merged_into FROM projects WHERE sight <> 0 OR merged_into <> "
      "''");
  while (known.step())
    to.run("UPDATE projects SET sight = ?2, repository = ?3, worktree = ?4, merged_into = ?5 WHERE identity_key = ?1",
           known.text(0), known.int64(1), known.text(2), known.text(3), known.text(4));
  join(to);
}

}  // namespace projects
}  // namespace memd
