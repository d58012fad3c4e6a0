#pragma once

#include "bench/continuity/code_terms.hpp"

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace memd::bench {

// How much the names of a home tell: one that stands in few sessions and few projects tells most. A value; constant
// once the sessions are in.
class NameWeights {
 public:
  // Sessions come project by project.
  void add_session(std::string_view project, const Terms& names);

  // From 0 (a name of a standard library, or one that stands everywhere) to 1 (of one session). The mean of the idf
  // over sessions and that over projects, each as a share of what one occurrence has. A name of no session counts 1.
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

// All main transcripts of a home. Throws std::runtime_error.
NameWeights weigh_names(const std::filesystem::path& home);

}  // namespace memd::bench
