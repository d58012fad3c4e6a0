#pragma once

#include "schemas/event.hpp"
#include "store/db/database.hpp"
#include "store/write/event_rows.hpp"
#include "store/write/exchange_builder.hpp"
#include "store/write/observation_collector.hpp"
#include "store/write/session_state.hpp"

#include <cstdint>
#include <optional>

namespace memd::assembly {

// Pairs calls with results and derives the agent's actions from them: errors, retries, test runs, edits, commits, pull
// requests. Writer thread only; owns nothing. Throws ErrorException.
class ToolCalls {
 public:
  ToolCalls(sqlite::Database& db, EventRows& rows, SessionEvents& events, ExchangeBuilder& exchange,
            ObservationCollector& observations, PathInterner& paths)
      : db_(db), rows_(rows), events_(events), exchange_(exchange), observations_(observations), paths_(paths) {}

  // Returns the call that a result answers; nullopt if the call already has a result or was never seen.
  std::optional<OpenCall> find_call(const SessionWork& session, const Event& result);

  // Stores the outcome of the call's tests or build in the result's facts.
  static void judge_run(const OpenCall& call, Event& result);

  void note_call(SessionWork& session, const Event& call, std::int64_t seq, AssemblyContext& context);
  void note_result(SessionWork& session, const Event& result, std::int64_t seq, const std::optional<OpenCall>& call,
                   AssemblyContext& context);
  // Counts an edit that the platform reports as a separate record.
  void note_edit(SessionWork& session, const Event& edit);

 private:
  void take_commands_from_script(SessionWork& session, const Event& call);
  void note_test_run(SessionWork& session, const Event& result, std::int64_t seq, const OpenCall& call,
                     AssemblyContext& context);
  void plan_edits(SessionWork& session, const Event& call, std::int64_t seq, AssemblyContext& context);
  void make_edits(SessionWork& session, const Event& result, std::int64_t seq, const OpenCall& call,
                  AssemblyContext& context);

  sqlite::Database& db_;
  EventRows& rows_;
  SessionEvents& events_;
  ExchangeBuilder& exchange_;
  ObservationCollector& observations_;
  PathInterner& paths_;
};

}  // namespace memd::assembly
