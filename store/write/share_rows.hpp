#pragma once

#include "schemas/share.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <string_view>

// Writes the rows of what is shared, on the writer's connection and thread. Throw ErrorException.
namespace memd::shares {

// Adds a share and returns its key. One with the same place, project and id gets the other members; one with another id
// is gone, with all that was known of it.
std::int64_t add(sqlite::Database& db, const ShareRow& share);
void remove(sqlite::Database& db, std::int64_t share_pk);
void save(sqlite::Database& db, std::int64_t share_pk, const SharedSessionRow& session);
void add(sqlite::Database& db, std::int64_t share_pk, const SharedSegmentRow& segment);
// Forgets the segments of a session that a machine wrote and whose files are gone.
void remove_segments(sqlite::Database& db, std::int64_t share_pk, std::string_view session_uid,
                     std::string_view machine);
// Notes on the sessions of a machine's segments who shared them, unless they are this machine's own.
void mark(sqlite::Database& db, std::string_view machine, std::string_view shared_by);
// Takes that back where an agent of this machine has the session, too.
void unmark_own(sqlite::Database& db);
// Joins the directories in which others worked, and nobody here, to the share's project on this machine. A person's
// choice stays.
void join_projects(sqlite::Database& db, const ShareRow& share);

// Copies all rows of a store that a rebuild replaces.
void take_over(sqlite::Database& from, sqlite::Database& to);

}  // namespace memd::shares
