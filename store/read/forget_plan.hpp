#pragma once

#include "schemas/base/timestamp.hpp"
#include "schemas/ids.hpp"
#include "schemas/platform.hpp"
#include "schemas/session_row.hpp"
#include "store/db/database.hpp"
#include "store/db/withheld.hpp"
#include "store/raw/frame_seal.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace memd {

// Selects the sessions to forget: those that match all conditions set. An empty string or 0 means the condition is not
// set.
struct ForgetSelection {
  std::string session;            // session reference as accepted by SessionQuery
  std::string project;            // substring of the project's path or name
  std::string text;               // text that the session contains, case-insensitive
  TimeMs before = 0;              // matches sessions that ended before this time
  std::vector<std::string> uids;  // selected regardless of the other conditions
  bool is_empty() const { return session.empty() && project.empty() && text.empty() && before == 0 && uids.empty(); }
};

// A session to be forgotten with all its data. The reason: why it is included, if it was not selected itself.
struct PlannedForgetting : PlannedRemoval {
  std::string project;
};

// Lists the sessions to be forgotten, oldest first. A session is forgotten together with its main session, all
// subagents of that session, and the sessions forked from it, which begin with a copy of it. The `before` condition
// excludes this whole group if any member ended later. The `text` condition searches everything stored of a session and
// its records in the raw layer. Errc::not_found and Errc::invalid_argument as for SessionQuery.
struct ForgetPlanQuery {
  ForgetSelection selection;
  std::filesystem::path raw_directory;
  raw::FrameSeal seal;  // decrypts sealed records

  using Answer = std::vector<PlannedForgetting>;
  Answer run(sqlite::Database& db) const;
};

// The locations of a session that configuration exclusions are matched against.
struct SessionPlace {
  std::string session_uid;
  Platform platform{};
  std::string directory;    // working directory; empty: unknown
  std::string source_path;  // transcript file; empty: it has none of its own
};
struct SessionPlacesQuery {
  using Answer = std::vector<SessionPlace>;
  Answer run(sqlite::Database& db) const;
};

// An exchange to be forgotten, of a session that stays.
struct PlannedExchange {
  ForgottenExchange exchange;
  TimeMs started_at = 0;
  std::string prompt;  // first line
  std::int64_t events = 0;
  std::vector<std::string> subagents;  // uids of the sessions that were started in it, with theirs
};

// Reads what is to be forgotten with these exchanges, in the order of `ids`. Errc::not_found for an exchange that the
// store does not have; Errc::invalid_argument for one of an evicted session, whose events are not known any more.
struct ExchangeForgetPlanQuery {
  std::vector<ExchangeId> ids;

  using Answer = std::vector<PlannedExchange>;
  Answer run(sqlite::Database& db) const;
};

// A session that lacks its newest exchange, and the number of that.
struct CutOffSession {
  std::string session_uid;
  std::int64_t number = 0;
};
struct CutOffSessionsQuery {
  using Answer = std::vector<CutOffSession>;
  Answer run(sqlite::Database& db) const;
};

}  // namespace memd
