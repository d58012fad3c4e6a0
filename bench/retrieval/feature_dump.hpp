#pragma once

#include "bench/retrieval/experiment.hpp"

#include <filesystem>
#include <fstream>

namespace memd::bench {

// Candidates with what they were ranked by, to fit weights on: JSON lines, one a hit,
//   {"part", "groups", "question", "text", "rank", "exchange_id", "session_id", "relevant", "relevant_total", "score",
//    "confidence", "nothing_relevant", "features"}
// where `question` counts through the run and `features` are those memd gave. Throws std::runtime_error.
class FeatureDump {
 public:
  explicit FeatureDump(const std::filesystem::path& file);
  void add(const Experiment::Plan& plan, const Question& question, const RankedList& list);

 private:
  std::ofstream out_;
  std::int64_t questions_ = 0;
};

}  // namespace memd::bench
