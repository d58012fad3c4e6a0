#pragma once

#include "daemon/config/model_choice.hpp"
#include "daemon/config/model_server_config.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace memd {

enum class SummaryProvider { disabled, ollama, openai, client };
std::string_view to_string(SummaryProvider provider);

using SummaryModelChoice = ModelChoice<SummaryProvider>;

// Which language model writes summaries, and how much it may; see docs/summaries.md.
struct SummariesConfig : ModelServerConfig {
  SummariesConfig() { timeout_ms = 120'000; }

  SummaryModelChoice choice;
  std::vector<SummaryModelChoice> fallbacks;  // in this order, when the one before cannot be used
  int max_parallel = 2;                       // requests at a time
  int context_tokens = 8192;                  // of a request and its answer together
  int max_tokens = 1500;                      // of a summary, whatever a caller asks for
  std::int64_t daily_requests = 200;          // a day in UTC; 0: no limit
  std::int64_t daily_tokens = 1'000'000;      // likewise, of requests and answers together
};

}  // namespace memd
