#include "schemas/observation.hpp"

namespace memd {

std::string_view to_string(ObservationType t) {
  switch (t) {
    case ObservationType::decision: return "decision";
    case ObservationType::bugfix: return "bugfix";
    case ObservationType::feature: return "feature";
    case ObservationType::refactor: return "refactor";
    case ObservationType::discovery: return "discovery";
    case ObservationType::problem: return "problem";
    case ObservationType::solution: return "solution";
    case ObservationType::pattern: return "pattern";
    case ObservationType::warning: return "warning";
    case ObservationType::success: return "success";
  }
  return "unknown";
}

std::optional<ObservationType> parse_observation_type(std::string_view text) {
  for (const auto t : kAllObservationTypes)
    if (to_string(t) == text) return t;
  return std::nullopt;
}

std::string_view to_string(DecisionKind k) {
  switch (k) {
    case DecisionKind::choice: return "choice";
    case DecisionKind::rejection: return "rejection";
    case DecisionKind::reversal: return "reversal";
    case DecisionKind::answer: return "answer";
    case DecisionKind::plan: return "plan";
  }
  return "unknown";
}

std::string_view to_string(DecidedBy by) { return by == DecidedBy::user ? "user" : "agent"; }

}  // namespace memd
