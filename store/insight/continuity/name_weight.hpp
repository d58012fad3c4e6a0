#pragma once

#include <cstddef>
#include <string_view>

namespace memd::continuity {

// Where a name stands.
struct NameSpread {
  std::size_t sessions = 0;  // that hold it
  std::size_t all_sessions = 0;
  std::size_t projects = 0;
  std::size_t all_projects = 0;
};

// How much a name tells, from 0 (of a standard library, or in every session) to 1 (in one session): the mean of its idf
// over sessions and over projects, each as a share of what a name of one session or project has.
double name_weight(std::string_view name, const NameSpread& spread);

// Of a standard library, or of what every program of a language has: "fmt.Sprintf", "std::string", "useState".
bool is_standard_name(std::string_view name);

}  // namespace memd::continuity
