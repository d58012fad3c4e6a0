#include "daemon/tools/session_facts.hpp"

#include "daemon/tools/answer.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace memd::tools {
namespace {

constexpr std::size_t kDescriptionTokens = 40;

std::string shortest(double value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::fixed).ptr;
  return {digits.data(), end};
}

}  // namespace

SessionFactsOut session_facts(const SessionRow& session) {
  SessionFactsOut out;
  out.description = unless_empty(short_line(session.description, kDescriptionTokens));
  out.mode = unless_empty(session.mode);
  out.wall_clock_s = (session.cost.wall_clock + 500) / 1000;
  out.retries = session.cost.retries;
  if (session.lines_added + session.lines_removed > 0) {
    out.lines_added = session.lines_added;
    out.lines_removed = session.lines_removed;
  }
  if (session.cost_usd) out.cost_usd = std::round(*session.cost_usd * 1e4) / 1e4;
  if (session.context_tokens > 0) out.context_tokens = session.context_tokens;
  return out;
}

void add_facts(HistoryText& out, const SessionFactsOut& facts) {
  out.add(facts.wall_clock_s, " s");
  if (facts.retries == 1) out.add(", 1 retry");
  if (facts.retries > 1) out.add(", ", facts.retries, " retries");
  if (facts.lines_added) out.add(", lines +", *facts.lines_added, " -", facts.lines_removed.value_or(0));
  if (facts.cost_usd) out.add(", $", shortest(*facts.cost_usd));
  if (facts.mode) out.add(", mode ", *facts.mode);
  if (facts.context_tokens) out.add(", context ", *facts.context_tokens, " tokens");
}

}  // namespace memd::tools
