#pragma once

#include "store/db/database.hpp"
#include "store/enrich/session_analysis.hpp"

#include <cstdint>
#include <string>
#include <vector>

// What a language model has yet to judge: the decisions of analysed sessions.
namespace memd {

struct SessionToJudge {
  SessionVersion version;
  std::string uid;
};

struct JudgeBacklog {
  std::vector<SessionToJudge> due;  // at most `limit`, the newest first
  std::int64_t waiting = 0;         // all of them
};

// Sessions that are analysed and not judged as they stand. Sessions of subagents and evicted ones are left out.
struct JudgeBacklogQuery {
  int limit = 8;

  using Answer = JudgeBacklog;
  Answer run(sqlite::Database& db) const;
};

struct ExchangeToJudge {
  std::int64_t number = 0;
  std::string before;  // how the agent's answer before it ends; empty: there is none
  std::string user_message;
  std::string interventions;         // what the person said later in the exchange
  std::vector<std::string> dialogs;  // "question: answer", as the client recorded them
  std::string assistant_response;
};

// The exchanges of a session that say something, in order.
struct ExchangesToJudgeQuery {
  std::int64_t session_pk = 0;

  using Answer = std::vector<ExchangeToJudge>;
  Answer run(sqlite::Database& db) const;
};

// How a session stands now against how it was read.
enum class Standing { same, went_on, gone };
struct SessionStandingQuery {
  SessionVersion version;

  using Answer = Standing;
  Answer run(sqlite::Database& db) const;
};

// For the writer, inside a transaction. Functions throw ErrorException.
namespace analysis {

// Raise it when the question to the model changes: sessions are then judged again where a model is configured.
inline constexpr std::int64_t kJudgeVersion = 1;

void mark_judged(sqlite::Database& db, std::int64_t session_pk);

}  // namespace analysis
}  // namespace memd
