#pragma once

#include "schemas/base/result.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace memd {

// What memd saw of a directory that a session worked in, when it read the session.
struct DirectorySight {
  std::string directory;   // as the agent wrote it
  std::string repository;  // project_identity() key of the repository around it; empty: none
  std::string worktree;    // name of the worktree of that repository; empty: it is in the main one
};

namespace assembly {

// Writes rows of `projects`. Each directory has a project of its own (sessions.own_project_pk), which may be joined to
// another one (projects.joined_pk, sessions.project_pk). In this order,
//   * a person's choice decides (merged_into);
//   * a directory that was seen in a git worktree belongs to the repository of the worktree;
//   * a directory that never was seen here (on another machine, deleted since) belongs to the directory with the same
//     recorded remote: to the repository that was seen, if there is exactly one; if none was seen, to the one with the
//     shortest path outside the directories in which tools keep worktrees;
//   * any other directory stands by itself: two clones that were seen are two projects.
// What was seen stays known after a worktree is deleted. Writer thread only. Throws ErrorException.
class ProjectRows {
 public:
  explicit ProjectRows(sqlite::Database& db) : db_(db) {}

  // Returns the project of a working directory itself, and creates it.
  std::int64_t intern(std::string_view cwd);
  // Call when a session got a remote, or a remote and a project.
  void remote_changed() { settle_ = true; }

  void settle();                     // joins projects anew if something has changed; call before a commit
  void forget() { settle_ = true; }  // call after a rollback

 private:
  sqlite::Database& db_;
  bool settle_ = false;
};

}  // namespace assembly

namespace projects {

// For the writer, inside a transaction. `key`: projects.identity_key.

// Computes projects.joined_pk and sessions.project_pk of all projects from what is known of them.
void join(sqlite::Database& db);

// Stores what was seen of directories that have a project, and joins projects anew if that changes something.
void note(sqlite::Database& db, std::span<const DirectorySight> sights);

// Joins a project to another one by a person's choice. Errc::invalid_argument if the other one belongs to the first.
Result<void> merge(sqlite::Database& db, std::string_view key, std::string_view into);

// Takes that back. A project that is joined without a person's choice stands by itself from then on. False: it is not
// joined.
bool split(sqlite::Database& db, std::string_view key);

// Copies what was seen and chosen from another store, which a rebuild replaces.
void take_over(sqlite::Database& from, sqlite::Database& to);

}  // namespace projects
}  // namespace memd
