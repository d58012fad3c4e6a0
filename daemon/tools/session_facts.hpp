#pragma once

#include "daemon/tools/answer_text.hpp"
#include "protocol/mcp/describe.hpp"
#include "schemas/session_row.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace memd::tools {

// Facts about a session as a whole: its description, mode, cost and context size as its agent reports them, and the
// time, retries and lines that it took. Absent where unknown. Part of answers about sessions.
struct SessionFactsOut {
  std::optional<std::string> description;
  std::optional<std::string> mode;
  std::int64_t wall_clock_s = 0;
  std::int64_t retries = 0;
  std::optional<std::int64_t> lines_added;
  std::optional<std::int64_t> lines_removed;
  std::optional<double> cost_usd;
  std::optional<std::int64_t> context_tokens;
};

SessionFactsOut session_facts(const SessionRow& session);
// Adds "65 s, 2 retries, lines +10 -3, $0.12, mode agent, context 12000 tokens"; without the description.
void add_facts(HistoryText& out, const SessionFactsOut& facts);

}  // namespace memd::tools

namespace memd::mcp {

template <>
struct Describe<tools::SessionFactsOut> {
  using T = tools::SessionFactsOut;
  static constexpr auto fields = fields_of(
      field("description", &T::description, "What its agent says it is about."),
      field("mode", &T::mode, "As its agent calls it: agent, plan, chat, …"),
      field("wall_clock_s", &T::wall_clock_s, "Seconds worked on it: idle time left out, overlaps counted once."),
      field("retries", &T::retries, "Failed calls that were retried."),
      field("lines_added", &T::lines_added, "Of its edits."),
      field("lines_removed", &T::lines_removed, "Of its edits."),
      field("cost_usd", &T::cost_usd, "As its agent calculates it."),
      field("context_tokens", &T::context_tokens, "How full its context was when last reported."));
};

}  // namespace memd::mcp
