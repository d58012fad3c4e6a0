#pragma once

#include "schemas/base/timestamp.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace memd {

// The type of an observation. The names are stored and part of every interface.
enum class ObservationType : std::uint8_t {
  decision,
  bugfix,
  feature,
  refactor,
  discovery,
  problem,
  solution,
  pattern,
  warning,
  success,
};
inline constexpr std::array kAllObservationTypes{
    ObservationType::decision,  ObservationType::bugfix,  ObservationType::feature,  ObservationType::refactor,
    ObservationType::discovery, ObservationType::problem, ObservationType::solution, ObservationType::pattern,
    ObservationType::warning,   ObservationType::success};
std::string_view to_string(ObservationType t);
std::optional<ObservationType> parse_observation_type(std::string_view text);

// The way a decision was made. The numbers are stored: append, never renumber.
enum class DecisionKind : std::uint8_t {
  choice = 0,     // one option was chosen over another
  rejection = 1,  // an option was rejected
  reversal = 2,   // an earlier decision or change was undone
  answer = 3,     // a person chose when asked, or accepted a proposal
  plan = 4,       // a person accepted a plan
};
inline constexpr std::array kAllDecisionKinds{DecisionKind::choice, DecisionKind::rejection, DecisionKind::reversal,
                                              DecisionKind::answer, DecisionKind::plan};
std::string_view to_string(DecisionKind k);

// The numbers are stored.
enum class DecidedBy : std::uint8_t { user = 0, agent = 1 };
std::string_view to_string(DecidedBy by);

struct DecisionWords {
  DecisionKind kind = DecisionKind::choice;
  DecidedBy by = DecidedBy::agent;
  std::string sentence;  // on one line, verbatim; of an answer "question: answer"
  // Parts of the sentence; empty: not stated.
  std::string chosen;
  std::string rejected;
  std::string reason;
};

struct Decision : DecisionWords {
  std::string judged_by;  // the language model that found it; empty: memd itself
};

// A typed statement extracted from a session. Within a session, the same words with the same type are one observation.
struct Observation {
  std::int64_t id = 0;  // its row; 0: not stored yet. Shown as "o99"
  std::int64_t session_pk = 0;
  std::optional<std::int64_t> exchange_number;
  std::optional<std::int64_t> event_seq;
  TimeMs time = 0;
  ObservationType type = ObservationType::decision;
  std::string summary;  // one line
  std::string content;
  std::string tool;                         // source tool, empty when there is none
  std::string metadata = "{}";              // JSON object: files, tags
  std::optional<Decision> decision;         // of a decision, unless a memd before schema version 17 wrote it
  std::optional<std::int64_t> reversed_by;  // the exchange of the session that took the decision back
};

}  // namespace memd
