#pragma once

#include <cstdint>
#include <string_view>

namespace memd {

// Outcome of a session. Stored as numbers.
enum class Outcome : std::uint8_t { unknown = 0, success = 1, fail = 2, abandoned = 3 };
std::string_view to_string(Outcome o);

// Signs at the end of a session that suggest its outcome. The numbers are stored as bits of sessions.outcome_signs:
// append, never renumber.
enum class OutcomeSign : std::uint8_t {
  answered = 0,             // the last message is the agent's
  reports_done = 1,         // it says that the work is done
  question_answered = 2,    // it answers a question, and no file was changed
  files_changed = 3,        // in the last exchange
  tests_passed = 4,         // the last run of the last exchange, after its last edit
  committed = 5,            // in the last exchange
  pull_request_opened = 6,  // in the last exchange
  person_pleased = 7,       // the person's last words only thank or praise
  report_taken = 8,         // a subagent's: the tool call that started it has its answer
  agent_asks = 9,           // the agent asks something before it can go on
  untested = 10,            // the agent says that the result has not been tried
  plan_waits = 11,          // a plan was shown and nothing followed
  change_offered = 12,      // the agent offers the change instead of making it
  agent_unable = 13,        // the agent says that it could not do it
  agent_says_failing = 14,  // the agent says that something still fails
  tests_failed = 15,        // the last run of the last exchange
  commit_failed = 16,       // the last attempt of the last exchange
  person_complains = 17,    // the person's last words tell of a failure, and nothing followed
  request_failed = 18,      // the model's server refused the last request
  subagent_failed = 19,     // a subagent's: the tool call that started it failed
  interrupted = 20,         // by the person, and nothing followed
  prompt_unanswered = 21,   // nothing followed on the last words of the person
  broken_off = 22,          // ends among tool calls
  todos_open = 23,          // the agent's list of tasks, written in the last exchange, has open ones
  build_failed = 24,        // the last one of the last exchange, and no tests were run after it
  only_told = 25,           // the agent was to do something, called no tool and changed nothing
  change_refused = 26,      // by the person, and no edit followed
};
inline constexpr int kOutcomeSigns = 27;
std::string_view to_string(OutcomeSign sign);

// Signs of an outcome, one bit each. A value.
class OutcomeSignSet {
 public:
  constexpr OutcomeSignSet() = default;
  constexpr OutcomeSignSet(OutcomeSign sign) : bits_(std::uint32_t{1} << static_cast<unsigned>(sign)) {}
  // Ignores bits of signs that this version does not define.
  static constexpr OutcomeSignSet of_bits(std::int64_t bits) {
    OutcomeSignSet out;
    out.bits_ = static_cast<std::uint32_t>(bits) & ((std::uint32_t{1} << kOutcomeSigns) - 1);
    return out;
  }

  constexpr std::int64_t bits() const { return bits_; }
  constexpr bool has(OutcomeSign sign) const { return (bits_ & OutcomeSignSet(sign).bits_) != 0; }
  constexpr OutcomeSignSet& operator|=(OutcomeSignSet other) {
    bits_ |= other.bits_;
    return *this;
  }
  friend constexpr bool operator==(OutcomeSignSet, OutcomeSignSet) = default;

 private:
  std::uint32_t bits_ = 0;
};

// A sign, the outcome it supports, and its weight. Support for `unknown` is doubt.
struct OutcomeReason {
  OutcomeSign sign{};
  Outcome speaks_for{};
  double weight = 0;  // > 0
};

}  // namespace memd
