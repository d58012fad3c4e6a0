#pragma once

#include "test/adapters/decode_source.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

// Counts the events of a transcript, to compare them with an independent count.
namespace memd::test {

struct Counts {
  std::int64_t tool_calls = 0, results_paired = 0, orphan_results = 0, tool_errors = 0, assistant_text = 0,
               synthetic_text = 0, thinking = 0, interrupts = 0, microcompactions = 0, compact_summaries = 0,
               responses = 0;
  TokenUsage tokens;
};

struct Session {
  Session() = default;
  Session(Session&&) = default;  // move only: the pointers refer to its own events

  std::vector<Event> events;  // of this transcript only; events of other sessions in it are left out
  std::vector<const Event*> prompts, embedded, rejections, queued, compactions;
  std::set<std::string> modified, read;
  Counts counts;
};

// Counts the events of the source's own session.
Session count_session(const Decoded& decoded);

}  // namespace memd::test
