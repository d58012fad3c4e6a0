#pragma once

#include "bench/continuity/score.hpp"
#include "bench/continuity/used_again.hpp"
#include "daemon/tools/resume_context.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace memd::bench {

// A compaction, and all that packs of it are made of and judged by.
struct FitCase {
  std::string session;     // native id
  std::size_t number = 0;  // of the compaction in its session, from 1
  bool held_out = false;
  Known known;
  Items items;
  std::string platform_summary;
  tools::ResumeMaterial whole;
  std::optional<tools::ResumeMaterial> complement;  // where there is a summary
};

// Every compaction of the home. Its store, of the transcript up to the platform's summary, is made below `stores` when
// it is not there yet, and read in this process. Throws std::runtime_error.
std::vector<FitCase> load_fit_cases(const std::filesystem::path& corpus, const std::filesystem::path& stores,
                                    std::size_t window);

// The packs of a case by these weights, with what they name: of 2,000 tokens, and of 1,000 beside the summary.
std::vector<Score> score_case(const FitCase& c, const continuity::Weights& weights, const std::string& name);

}  // namespace memd::bench
