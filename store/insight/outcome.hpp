#pragma once

#include "schemas/event.hpp"
#include "schemas/outcome.hpp"

#include <cstdint>
#include <string>
#include <vector>

// How a session ended, judged by what its end shows, without a language model. Pure; every thread may call it.
namespace memd {

// The last exchange of a session in which somebody wanted something, as rows tell it. Commands of the client and of the
// shell behind it ("/exit", "!ls") are passed over. SessionEndQuery reads it.
struct SessionEnd {
  // The newest thing said or done in that exchange.
  enum class Last : std::uint8_t { nothing, words, call, result, answer, interruption, failed_request };
  Last last = Last::nothing;
  bool asked_by_person = false;  // else by another agent, by the client, or nobody knows
  std::string request;           // the words that began it
  std::string last_words;        // Last::words: the person's, with which it ends
  std::string answer;            // the agent's last message; empty: none

  enum class Run : std::uint8_t { none, passed, failed };
  Run tests = Run::none;             // the last run
  bool changed_since_tests = false;  // files
  Run build = Run::none;             // the last one, where its output tells and no tests were run after it
  Run commit = Run::none;            // the last attempt
  std::int64_t files_changed = 0;    // edits that were made
  std::int64_t commits = 0;          // that the output of commands tells of
  std::int64_t pull_requests = 0;    // likewise
  std::int64_t calls = 0;            // of tools
  bool plan_shown = false;           // with a tool, and no edit followed
  bool change_refused = false;       // by the person, and no edit followed
  bool todos_open = false;           // in the agent's list of tasks, which it wrote in that exchange
  bool turn_ended = false;           // the client wrote down the end of the agent's turn

  Run report = Run::none;   // of a subagent: the call that started it; passed: it has a result
  std::string report_text;  // how the result begins
};

struct JudgedOutcome {
  Outcome value = Outcome::unknown;
  std::vector<OutcomeReason> reasons;  // those that speak for `value` first, then the heaviest

  OutcomeSignSet signs() const;
};

// success only if what speaks for it outweighs all else together: a false success costs most.
JudgedOutcome judge_outcome(const SessionEnd& signs);

// The reasons of an outcome that was stored with its signs, in the order of JudgedOutcome.
std::vector<OutcomeReason> outcome_reasons(Outcome outcome, OutcomeSignSet signs);

}  // namespace memd
