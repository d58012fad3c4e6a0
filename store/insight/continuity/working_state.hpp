#pragma once

#include "store/insight/continuity/name_weight.hpp"
#include "store/insight/continuity/session_past.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The work that an agent was in the middle of, derived from the past of its session without a language model. Pure and
// deterministic; lists are ordered by the likelihood of being needed again, best first.
namespace memd::continuity {

// failed_before: it failed, and another test run passed later. unknown: the command hides its exit status, and the
// output does not show it.
enum class TestOutcome { passed, failed, failed_before, unknown };

// Returns whether the call did not run because the user refused it. This is not an error.
bool is_refusal(std::string_view result);

struct ExtractedSentence {
  std::string text;
  ExchangeId exchange = 0;  // where it was said
  double score = 0;
  std::size_t age = 0;  // of problems and the last error, as in PastText
};

struct WorkingFile {
  std::string path;
  std::int64_t edits = 0;
  std::int64_t reads = 0;
  std::string purpose;  // the agent's words at its last use; may be empty
  ExchangeId exchange = 0;
  double score = 0;
};

struct CommandUse {
  std::string line;   // on one line, for comparison
  std::string shown;  // as it was run
  std::int64_t runs = 0;
  bool failed = false;  // the last run
  bool builds = false;
  bool checks = false;              // tests, or names a check such as lint
  bool whole = true;                // false: the rest of the line is unknown
  std::optional<std::size_t> test;  // index into WorkingState::tests, regardless of output filters
  ExchangeId exchange = 0;
  double score = 0;
};

struct TestState {
  std::string line;
  TestOutcome outcome = TestOutcome::unknown;
  ExchangeId exchange = 0;
  std::size_t age = 0;  // PastEvent::age of the run
};

// A code name with its place.
struct WorkingName {
  std::string text;
  double score = 0;       // likelihood() per cost
  std::string path;       // absolute if the agent gives it so
  std::int64_t line = 0;  // of its declaration; 0: unknown

  // Returns a score by NameWeights for being used again and being informative. Not a probability.
  double likelihood() const;
};

struct WorkingState {
  std::string cwd;
  std::string branch;
  std::vector<ExtractedSentence> goal;  // as the user last stated it; then the first request, and a short last message
  std::vector<ExtractedSentence> constraints;
  std::vector<ExtractedSentence> decisions;   // what the user chose when asked
  std::vector<ExtractedSentence> directions;  // the user's sentences (summary/directions.hpp)
  std::vector<ExtractedSentence> said;        // what an agent chose and measured, and values that the user gave
  std::vector<ExtractedSentence> problems;
  std::vector<ExtractedSentence> next_steps;    // remaining tasks, promises and announced steps
  std::optional<ExtractedSentence> last_error;  // verbatim
  std::optional<ExtractedSentence> last_words;  // of the agent
  std::vector<ExtractedSentence> running;       // started in the background
  std::vector<TestState> tests;                 // failing first, then newest first
  std::vector<WorkingFile> files;
  std::vector<CommandUse> commands;
  std::vector<WorkingName> names;  // those with a known place, without those of standard libraries
};

// Returns the seq of edits, results and errors whose full texts should be loaded into SessionPast::full_texts. They
// contain names and the last error, and the rows have only one line of each. Bounded.
std::vector<std::int64_t> texts_to_fetch(const SessionPast& past);

WorkingState recover_state(const SessionPast& past);

// Sorts the names, also taking their weight into account. `spreads` belong to the first names, in the same order.
void weigh_names(std::vector<WorkingName>& names, const std::vector<NameSpread>& spreads);

}  // namespace memd::continuity
