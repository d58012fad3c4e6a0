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

MEMD_DESCRIBE(memd::tools::SessionFactsOut, field<&T::description>("What its agent says it is about."),
              field<&T::mode>("As its agent calls it: agent, plan, chat, …"),
              field<&T::wall_clock_s>("Seconds worked on it: idle time left out, overlaps counted once."),
              field<&T::retries>("Failed calls that were retried."), field<&T::lines_added>("Of its edits."),
              field<&T::lines_removed>("Of its edits."), field<&T::cost_usd>("As its agent calculates it."),
              field<&T::context_tokens>("How full its context was when last reported."));
