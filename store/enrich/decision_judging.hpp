#pragma once

#include "store/db/database.hpp"
#include "store/enrich/session_analysis.hpp"

#include <cstdint>
#include <string>
#include <vector>

// The sessions whose decisions a language model has yet to judge.
namespace memd {

struct SessionToJudge {
  SessionVersion version;
  std::string uid;
};

struct JudgeBacklog {
  std::vector<SessionToJudge> due;  // at most `limit`, the newest first
  std::int64_t waiting = 0;         // all of them
};

// Returns sessions that are analysed but not judged in their current state. Skips subagent sessions and evicted ones.
struct JudgeBacklogQuery {
  int limit = 8;

  using Answer = JudgeBacklog;
  Answer run(sqlite::Database& db) const;
};

struct ExchangeToJudge {
  std::int64_t number = 0;
  std::string before;  // end of the agent's preceding answer; empty: none
  std::string user_message;
  std::string interventions;         // later messages of the user in the exchange
  std::vector<std::string> dialogs;  // "question: answer", as recorded by the client
  std::string assistant_response;
};

// Returns the exchanges of a session that have text, in order.
struct ExchangesToJudgeQuery {
  std::int64_t session_pk = 0;

  using Answer = std::vector<ExchangeToJudge>;
  Answer run(sqlite::Database& db) const;
};

// The current state of a session compared with the version that was read.
enum class VersionState { unchanged, continued, gone };
struct SessionVersionQuery {
  SessionVersion version;

  using Answer = VersionState;
  Answer run(sqlite::Database& db) const;
};

// For the writer, inside a transaction. Functions throw ErrorException.
namespace analysis {

// Increment when the prompt to the model changes: sessions are then judged again where a model is configured.
inline constexpr std::int64_t kJudgeVersion = 1;

void mark_judged(sqlite::Database& db, std::int64_t session_pk);

}  // namespace analysis
}  // namespace memd
