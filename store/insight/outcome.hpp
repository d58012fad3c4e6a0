#pragma once

#include "schemas/outcome.hpp"
#include "schemas/tool_facts.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Judges how a session ended from its last exchange, without a language model. Pure; thread-safe.
namespace memd {

// The last exchange of a session that contains a request, as stored in rows. Skips later commands of the client and of
// the shell ("/exit", "!ls"). Loaded by SessionEndQuery.
struct SessionEnd {
  // The newest event of that exchange.
  enum class Last : std::uint8_t { nothing, words, call, result, answer, interruption, failed_request };
  Last last = Last::nothing;
  bool asked_by_person = false;  // false: by another agent, by the client, or unknown
  std::string request;           // the prompt that started it
  std::string last_words;        // Last::words: the user's message that ends it
  std::string answer;            // the agent's last message; empty: none

  std::optional<RunOutcome> tests;   // the last run
  bool changed_since_tests = false;  // files changed after the tests
  std::optional<RunOutcome> build;   // the last one whose output shows its result, if no tests were run after it
  std::optional<RunOutcome> commit;  // the last attempt
  std::int64_t files_changed = 0;    // edits that were made
  std::int64_t commits = 0;          // found in the output of commands
  std::int64_t pull_requests = 0;    // found in the output of commands
  std::int64_t calls = 0;            // of tools
  bool plan_shown = false;           // with a tool, and no edit followed
  bool change_refused = false;       // by the user, and no edit followed
  bool todos_open = false;           // in the agent's task list, written in that exchange
  bool turn_ended = false;           // the client recorded the end of the agent's turn

  std::optional<RunOutcome> report;  // of a subagent, the call that started it; passed: it has a result
  std::string report_text;           // the start of that result
};

struct JudgedOutcome {
  Outcome value = Outcome::unknown;
  std::vector<OutcomeReason> reasons;  // those that speak for `value` first, then the heaviest

  OutcomeSignSet signs() const;
};

// Returns success only if the reasons for it outweigh all others together, because a false success is the worst error.
JudgedOutcome judge_outcome(const SessionEnd& signs);

// Returns the reasons of an outcome stored with its signs, in the order of JudgedOutcome.
std::vector<OutcomeReason> outcome_reasons(Outcome outcome, OutcomeSignSet signs);

}  // namespace memd
