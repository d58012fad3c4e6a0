#include "store/insight/cue_classes.hpp"

#include "store/insight/continuity/evidence.hpp"
#include "store/insight/summary/decisions.hpp"
#include "store/insight/summary/observations.hpp"

#include <algorithm>
#include <utility>

namespace memd {
namespace {

constexpr std::array kClassNames{
    std::pair{CueClass::decision, std::string_view("decision")},
    std::pair{CueClass::problem, std::string_view("problem")},
    std::pair{CueClass::solved, std::string_view("solved")},
    std::pair{CueClass::constraint, std::string_view("constraint")},
    std::pair{CueClass::next_step, std::string_view("next_step")},
    std::pair{CueClass::test_outcome, std::string_view("test_outcome")},
    std::pair{CueClass::discovery, std::string_view("discovery")},
    std::pair{CueClass::warning, std::string_view("warning")},
};

bool is_observed(ObservationType type, std::string_view sentence) {
  const auto found = find_observations(sentence);
  return std::any_of(found.begin(), found.end(), [&](const FoundObservation& o) { return o.type == type; });
}

}  // namespace

std::string_view to_string(CueClass cue_class) {
  for (const auto& [known, name] : kClassNames)
    if (known == cue_class) return name;
  return "";
}

std::optional<CueClass> parse_cue_class(std::string_view name) {
  for (const auto& [cue_class, known] : kClassNames)
    if (name == known) return cue_class;
  return std::nullopt;
}

bool says(CueClass cue_class, std::string_view sentence) {
  switch (cue_class) {
    case CueClass::decision: return !find_decisions(sentence).empty();
    case CueClass::problem: return continuity::trouble_in(sentence).cues > 0;
    case CueClass::solved: return continuity::trouble_in(sentence).mended;
    case CueClass::constraint: return continuity::binding_force(sentence) > 0;
    case CueClass::next_step: return continuity::tells_next_step(sentence, true);
    case CueClass::test_outcome: return is_observed(ObservationType::success, sentence);
    case CueClass::discovery: return is_observed(ObservationType::discovery, sentence);
    case CueClass::warning: return is_observed(ObservationType::warning, sentence);
  }
  return false;
}

}  // namespace memd
