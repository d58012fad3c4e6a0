#pragma once

#include "store/insight/continuity/name_weight.hpp"
#include "store/insight/continuity/session_past.hpp"
#include "store/insight/continuity/weights.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What an agent was in the middle of, read off the past of its session without a language model. Pure and
// deterministic; lists are ordered by what is most likely needed again, best first.
namespace memd::continuity {

// failed_before: another run passed later. unknown: the command hides how it ended, and its output does not tell.
enum class TestOutcome { passed, failed, failed_before, unknown };

// The result of a call that did not run because a person said no; nothing went wrong.
bool is_refusal(std::string_view result);

struct Told {
  std::string text;
  ExchangeId exchange = 0;  // where it was said
  double score = 0;
  std::size_t age = 0;  // of problems: PastText::age
};

struct FileInPlay {
  std::string path;
  std::int64_t edits = 0;
  std::int64_t reads = 0;
  std::string purpose;  // what the agent said when it last touched it; may be empty
  ExchangeId exchange = 0;
  double score = 0;
};

struct CommandUse {
  std::string line;   // on one line, to be compared
  std::string shown;  // as it ran
  std::int64_t runs = 0;
  bool failed = false;  // the last run
  bool builds = false;
  bool whole = true;                // false: the rest of the line is not known
  std::optional<std::size_t> test;  // its place in WorkingState::tests, whatever it shows of the output
  ExchangeId exchange = 0;
  double score = 0;
};

struct TestState {
  std::string line;
  TestOutcome outcome = TestOutcome::unknown;
  ExchangeId exchange = 0;
  std::size_t age = 0;  // PastEvent::age of the run
};

struct Scored {
  std::string text;
  double score = 0;
};

// A name of code, with where it lives; of a flag, whose it is.
struct NameInPlay {
  std::string text;
  double score = 0;         // likelihood() for what it costs
  std::string path;         // absolute where the agent says so; empty: not known
  std::int64_t line = 0;    // of its declaration; 0: not known
  ExchangeId exchange = 0;  // that used it last
  std::string program;      // of a flag: "git log"; empty: not known

  // How likely it is used again and tells something, as NameWeights say. No probability.
  double likelihood() const;
};

struct WorkingState {
  std::string cwd;
  std::string branch;
  std::vector<Told> goal;  // as the person last put it; then the first request, and a short last word
  std::vector<Told> constraints;
  std::vector<Told> decisions;
  std::vector<Told> problems;
  std::vector<Told> next_steps;    // the tasks that are left, what was promised, and what was said to come
  std::vector<Told> values;        // sentences that state exact sizes, times, limits, results
  std::optional<Told> last_error;  // verbatim
  std::optional<Told> last_words;  // of the agent
  std::vector<Told> running;       // started in the background
  std::vector<TestState> tests;    // failing first, then newest first
  std::vector<FileInPlay> files;
  std::vector<CommandUse> commands;
  std::vector<Scored> programs;   // "go test"
  std::vector<NameInPlay> names;  // those of standard libraries are left out
};

// Edits, results and errors whose whole texts are worth fetching into SessionPast::full_texts, by their seq: names and
// the last error stand in them, and the rows have one line of each. Bounded.
std::vector<std::int64_t> texts_to_fetch(const SessionPast& past);

WorkingState recover_state(const SessionPast& past);

// Orders the names by how much they tell, too. `spreads`: of the first names, in their order.
void weigh_names(std::vector<NameInPlay>& names, const std::vector<NameSpread>& spreads);

}  // namespace memd::continuity
