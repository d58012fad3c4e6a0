#pragma once

#include "bench/retrieval/experiment.hpp"

#include <filesystem>
#include <string>

namespace memd::bench {

// Tables on stdout as experiments end, and all of it as one JSON document. Each mean with its 95% interval, and the
// difference to the anchor (memd's lexical mode where there is one, else FTS5) with its own; * marks one beyond noise.
class Report {
 public:
  void add(const Experiment& experiment);
  void write_json(const std::filesystem::path& file) const;  // throws std::runtime_error

 private:
  std::string add_group(const Experiment& experiment, const std::string& group);  // the table

  std::string experiments_;  // JSON objects, with commas between
};

}  // namespace memd::bench
