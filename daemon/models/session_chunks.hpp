#pragma once

#include "store/insight/summary/extractive.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace memd::llm {

// Consecutive exchanges of a session, as a model reads them.
struct SessionChunk {
  std::size_t first = 0;  // numbers of exchanges
  std::size_t last = 0;
  std::string text;
  std::size_t tokens = 0;  // of it
};

struct ChunkLimits {
  std::size_t tokens = 5000;
  std::size_t exchanges = 20;
};

// Cuts between exchanges, from the first on: of a session that grew, only the last chunk changes. An exchange that does
// not fit into one is shortened: its request and final answer stay before what was said in between.
std::vector<SessionChunk> cut_into_chunks(std::span<const SummaryInput> exchanges, const ChunkLimits& limits);

}  // namespace memd::llm
