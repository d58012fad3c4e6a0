#pragma once

#include "store/db/database.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

// What joins a project to another one.
enum class ProjectJoin : std::uint8_t { none, worktree, remote, person, apart };
// "worktree", "remote", "merged"; "apart": a person has taken it out of a join; empty for none.
std::string_view to_string(ProjectJoin join);

struct KnownProjectRow {
  std::string key;  // projects.identity_key
  std::string name;
  ProjectJoin join = ProjectJoin::none;
  std::string joined_to;      // key of the project that it belongs to; empty: it stands by itself
  std::int64_t sessions = 0;  // main sessions with words that began in its own directory
};

// Lists the projects that have main sessions of their own or are joined, by key.
struct ProjectListQuery {
  using Answer = std::vector<KnownProjectRow>;
  Answer run(sqlite::Database& db) const;
};

// Returns the name of the git worktree in which a session worked; empty: in none, or in the repository itself.
struct WorktreeQuery {
  std::int64_t session_pk = 0;

  using Answer = std::string;
  Answer run(sqlite::Database& db) const;
};

// Finds the project that a person means: by its path, else by its whole name, else by a part of path or name; `here`
// where several fit and it is one of them. The messages of not_found and invalid_argument name what could be meant, and
// the shortest text for each.
struct FindProjectQuery {
  std::string_view text;
  std::string_view here{};  // project_tree() of the caller's project; empty: none

  using Answer = KnownProjectRow;
  Answer run(sqlite::Database& db) const;
};

// Returns what a QueryFilter takes for the projects that a person means: project_tree() of the one that has this path
// or whole name, else the text, which is then a part of paths and names.
struct ProjectFilterQuery {
  std::string text;

  using Answer = std::string;
  Answer run(sqlite::Database& db) const;
};

}  // namespace memd
