#pragma once

#include "schemas/time.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

// The taxonomy of observations. The names are stored and stand in every interface.
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

// A typed unit of memory drawn from a session. The same words of the same type are one observation of a session.
struct Observation {
  std::int64_t session_pk = 0;
  std::optional<std::int64_t> exchange_number;
  std::optional<std::int64_t> event_seq;
  TimeMs time = 0;
  ObservationType type = ObservationType::decision;
  std::string summary;  // one line
  std::string content;
  std::string tool;             // source tool, empty when there is none
  std::string metadata = "{}";  // JSON object: files, tags
};

}  // namespace memd
