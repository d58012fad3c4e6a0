#pragma once

#include <cstddef>
#include <string_view>

namespace memd::continuity {

// The number of sessions and projects in which a name occurs.
struct NameSpread {
  std::size_t sessions = 0;  // that contain the name
  std::size_t all_sessions = 0;
  std::size_t projects = 0;
  std::size_t all_projects = 0;
};

// Returns the weight of a name from 0 (of a standard library, or in every session) to 1 (in one session). It is the
// mean of the name's idf over sessions and over projects, each relative to the idf of a name in a single session or
// project.
double name_weight(std::string_view name, const NameSpread& spread);

// Returns whether the name is from a standard library or occurs in every program of a language: "fmt.Sprintf",
// "std::string", "useState".
bool is_standard_name(std::string_view name);

}  // namespace memd::continuity
