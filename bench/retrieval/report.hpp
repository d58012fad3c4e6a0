#pragma once

#include "bench/retrieval/experiment.hpp"

#include <filesystem>
#include <string>

namespace memd::bench {

// Tables on stdout as experiments end, and all of them as one JSON document.
class Report {
 public:
  void add(const Experiment& experiment);
  void write_json(const std::filesystem::path& file) const;  // throws std::runtime_error

 private:
  void add_group(const Experiment& experiment, const std::string& group);

  std::string experiments_;  // JSON objects, with commas between
};

}  // namespace memd::bench
