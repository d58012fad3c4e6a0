#pragma once

#include "schemas/ids.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Recalls facts from earlier sessions that bear on an agent's next step, from rows alone. Omits the requesting session,
// except for what a compaction has since removed from the agent's context.
namespace memd {

enum class RecalledKind : std::uint8_t {
  met_error,  // the same error occurred before
  solved,     // what was done between the failure and the next success
};

struct Recalled {
  RecalledKind kind{};
  std::string text;  // one line
  ExchangeId exchange = 0;
};

// Selects the past that is searched.
struct RecallScope {
  std::string cwd;         // the agent's working directory; only its project is searched
  std::string session_id;  // native id of the requesting session; may be empty
};

// Finds how an error of a failed command went away in an earlier session: the same command passed later, or, without
// edits in between, another one that contains its first words. Finds nothing of an error line that outputs of commands
// that passed contain too, nor of what a compiler or linter says of names and imports, which its reader mends at once.
struct ErrorRecallQuery {
  RecallScope scope;
  std::string text;  // the tool's output

  using Answer = std::vector<Recalled>;
  Answer run(sqlite::Database& db) const;
};

// What a session did to the world, and what it was refused. Lines end with the id of their exchange: "… [x42]"; newest
// first.
struct SessionDeeds {
  std::vector<std::string> commits;        // "1a2b3c4 Message"
  std::vector<std::string> pull_requests;  // addresses
  std::vector<std::string> replies;        // to comments of a review: "2776508025: Fixed in 1a2b3c4"
  std::vector<std::string> forms;          // commands that worked after another form of them had failed
  std::vector<std::string> refusals;       // calls that the person refused, with the words for it
};
struct SessionDeedsQuery {
  std::int64_t session_pk = 0;

  using Answer = SessionDeeds;
  Answer run(sqlite::Database& db) const;
};

// What was done between a failed command and the next run of it, or of another form of it, that passed.
struct FailureEnd {
  std::string text;                 // one line
  ExchangeId exchange = 0;          // of the run that passed
  std::vector<std::int64_t> edits;  // seq of the last edits before that run, at most 4, in order
  std::string command;              // what ended it, whole; empty: edits did
};

// Returns how a failed command ended in its session. nullopt: it did not.
struct FailureEndQuery {
  std::int64_t session_pk = 0;
  std::int64_t seq = 0;  // of the failed call

  using Answer = std::optional<FailureEnd>;
  Answer run(sqlite::Database& db) const;
};

// Maximum number of the project's latest sessions searched. Bounds the query's cost regardless of the size of the
// store.
inline constexpr std::int64_t kRecallSessions = 60;

// Returns where the line of an output begins that identifies its error. npos: no line is specific enough.
std::size_t error_begin(std::string_view output);
// Returns that line without colours, numbers, paths and times. Empty when no
// line is specific enough.
std::string error_signature(std::string_view output);

}  // namespace memd
