#pragma once

#include "daemon/usage/prices.hpp"
#include "schemas/base/result.hpp"
#include "schemas/base/timestamp.hpp"
#include "store/read/usage.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd {
class Reader;
}

// The line that an agent or tmux shows at the edge of the screen. Free functions; each may be called on any thread.
namespace memd::usage {

// What Claude Code writes to its status line command. Any part may be missing.
struct StatuslineInput {
  std::string session_id;
  std::string model;                      // as people know it
  std::optional<double> context_percent;  // of the context window in use
  std::int64_t context_tokens = 0;        // 0: not told
  std::int64_t context_size = 0;          // 0: not told
  std::optional<double> cost_usd;         // of the session, as the agent calculates it
  std::vector<RateLimit> limits;          // of the account
};
// Errc::invalid_argument for anything but a JSON object. Members of another type count as missing.
Result<StatuslineInput> parse_statusline_input(std::string_view json);

struct StatuslineSum {
  std::int64_t tokens = 0;
  std::optional<double> cost_usd;
  bool is_lower_bound = false;  // some responses were cut off, or have no price
  bool empty() const { return tokens == 0; }
};

struct StatuslineFigures {
  StatuslineSum session;  // with its subagents
  StatuslineSum today;
  StatuslineSum block;  // the five hours that are running; of the session's agent, else of all
  TimeMs block_ends = 0;
  std::vector<KnownLimit> limits;
};
Result<StatuslineFigures> statusline_figures(Reader& reader, const StatuslineInput& input, const PriceTable& prices,
                                             TimeMs now);

enum class StatuslineStyle { plain, tmux };
// Returns one line without control characters; "memd" when nothing is known.
std::string statusline_text(const StatuslineInput& input, const StatuslineFigures& figures, StatuslineStyle style,
                            TimeMs now);

}  // namespace memd::usage
