#pragma once

#include "schemas/base/timestamp.hpp"
#include "schemas/platform.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The part of the history that a query is about.
namespace memd {

// Returns a value for QueryFilter::project that selects the project with this identity key and those in directories
// below it.
inline std::string project_tree(std::string_view identity_key) {
  std::string out = "\x01";
  out += identity_key;
  if (!out.ends_with('/')) out += '/';
  return out;
}

enum class ObservationType : std::uint8_t;  // schemas/observation.hpp

struct QueryFilter {
  std::vector<Platform> platforms;  // empty: all
  bool no_platform = false;         // no platform remains: nothing is found
  std::string project;              // part of the project's identity key or name, or project_tree(); empty: all
  std::string session;              // uid, native id or unique prefix of either; empty: all
  TimeMs since = 0;                 // inclusive; 0: open
  TimeMs until = 0;                 // exclusive; 0: open
  bool include_subagents = true;
  std::optional<ObservationType> observed{};  // searches: only exchanges with such an observation
};

}  // namespace memd
