#include "schemas/observation.hpp"

#include "schemas/base/reflected_name.hpp"

namespace memd {

std::string_view to_string(ObservationType t) { return reflect::enum_name(t, "unknown"); }

std::optional<ObservationType> parse_observation_type(std::string_view text) {
  return reflect::enum_of<ObservationType>(text);
}

std::string_view to_string(DecisionKind k) { return reflect::enum_name(k, "unknown"); }

std::string_view to_string(DecidedBy by) { return by == DecidedBy::user ? "user" : "agent"; }

}  // namespace memd
