#pragma once

#include "bench/continuity/code_terms.hpp"

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace memd::bench {

// The information content of the names in a home: a name in few sessions and few projects has the highest weight. A
// value; constant once all sessions are added.
class NameWeights {
 public:
  // Adds a session. Sessions of the same project must be added consecutively.
  void add_session(std::string_view project, const Terms& names);

  // Returns the weight, from 0 (a name of a standard library, or in every session) to 1 (in one session). It is the
  // mean of the idf over sessions and the idf over projects, each divided by the idf of a single occurrence. A name in
  // no session has weight 1.
  double of(std::string_view name) const;

 private:
  struct Count {
    std::size_t sessions = 0;
    std::size_t projects = 0;
    std::size_t last_project = 0;
  };
  std::size_t sessions_ = 0;
  std::size_t projects_ = 0;
  std::string project_;
  std::map<std::string, Count, std::less<>> counts_;
};

// Weighs the names in all main transcripts of a home. Throws std::runtime_error.
NameWeights weigh_names(const std::filesystem::path& home);

}  // namespace memd::bench
