#pragma once

#include "schemas/ids.hpp"
#include "schemas/time.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

// What earlier work tells about the next step of an agent, from rows alone. Nothing of the session that asks is told,
// unless a compaction has taken it out of the agent's context since.
namespace memd {

enum class RecalledKind : std::uint8_t {
  decision,        // about the file
  failed_attempt,  // tests failed after the last edits of the file
  test_command,    // that passed after edits of the file
  failed_command,  // this command failed when it last ran here
  worked,          // and this one of the same program ran well then
  met_error,       // the same error was met before
  solved,          // what was done before the command that met it ran well
};

struct Recalled {
  RecalledKind kind{};
  std::string text;  // one line
  ExchangeId exchange = 0;
};

// Of whose past it is asked.
struct RecallScope {
  std::string cwd;         // of the agent; of its project alone is told
  std::string session_id;  // native; may be empty
  TimeMs before = std::numeric_limits<TimeMs>::max();
};

struct FileRecallQuery {
  RecallScope scope;
  std::string path;  // absolute

  using Answer = std::vector<Recalled>;
  Answer run(sqlite::Database& db) const;
};

struct CommandRecallQuery {
  RecallScope scope;
  std::string line;

  using Answer = std::vector<Recalled>;
  Answer run(sqlite::Database& db) const;
};

struct ErrorRecallQuery {
  RecallScope scope;
  std::string text;  // what the tool said

  using Answer = std::vector<Recalled>;
  Answer run(sqlite::Database& db) const;
};

// At most so many of the project's latest sessions are looked at: what a question costs hangs on no store's size.
inline constexpr std::int64_t kRecallSessions = 60;

// The line of an output by which the same error is known again: without colours, numbers, paths and times. Empty: it
// tells nothing particular.
std::string error_signature(std::string_view output);

}  // namespace memd
