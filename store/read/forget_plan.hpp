#pragma once

#include "schemas/platform.hpp"
#include "schemas/time.hpp"
#include "store/db/database.hpp"
#include "store/raw/frame_seal.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

// Which sessions are to be forgotten: those that all conditions name. Empty and 0: not asked for.
struct ForgetSelection {
  std::string session;            // as SessionQuery takes it
  std::string project;            // part of its path or name
  std::string text;               // stands in it, letters of either case alike
  TimeMs before = 0;              // it ended before
  std::vector<std::string> uids;  // these, whatever else is said
  bool is_empty() const { return session.empty() && project.empty() && text.empty() && before == 0 && uids.empty(); }
};

// A main session that would go, with its subagents. All it holds goes with it.
struct PlannedForgetting {
  std::string session_uid;
  std::string title;
  std::string project;
  TimeMs ended_at = 0;
  std::string reason;                // why it goes, if it was not named itself
  std::vector<std::string> members;  // uids, its own included
  std::int64_t exchanges = 0;
  std::int64_t events = 0;
  std::uint64_t raw_bytes = 0;  // in the raw layer
};

// What goes, the oldest first. A session goes with its main session, with all subagents of that, and with the sessions
// that were forked from it: they begin with a copy of it. Of a time, nothing goes that such a session continued later.
// A text is looked for in all that is stored of a session and in the records that the raw layer keeps of it.
// Errc::not_found and Errc::invalid_argument of SessionQuery.
struct ForgetPlanQuery {
  ForgetSelection selection;
  std::filesystem::path raw_directory;
  raw::FrameSeal seal;  // opens the records that are sealed

  using Answer = std::vector<PlannedForgetting>;
  Answer run(sqlite::Database& db) const;
};

// Where sessions were: what a configuration excludes them by.
struct SessionPlace {
  std::string session_uid;
  Platform platform{};
  std::string directory;    // where it worked; empty: not known
  std::string source_path;  // its transcript; empty: it has none of its own
};
struct SessionPlacesQuery {
  using Answer = std::vector<SessionPlace>;
  Answer run(sqlite::Database& db) const;
};

}  // namespace memd
