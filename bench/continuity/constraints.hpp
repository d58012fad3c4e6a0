#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace memd::bench {

// A sentence in which a person says how things are to be done ("don't", "always", "instead of", "make sure", …).
struct Constraint {
  std::string sentence;         // on one line
  std::set<std::string> words;  // that carry its subject, by their first letters
};
std::vector<Constraint> find_constraints(std::string_view prompt);

// A sentence or a line of `text` has six of ten of the constraint's words, and three of them at least.
bool restates(std::string_view text, const Constraint& constraint);

}  // namespace memd::bench
