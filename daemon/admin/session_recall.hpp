#pragma once

#include "schemas/base/result.hpp"
#include "schemas/base/timestamp.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace memd {
class Reader;
}

// What memd says by itself where a session begins and after a compaction. Lines without secrets, most important first;
// none when there is nothing worth saying.
namespace memd::admin {

// Maximum tokens of history.
inline constexpr std::size_t kStartTokens = 250;
inline constexpr std::size_t kStandingTokens = 80;
inline constexpr std::size_t kCompactionTokens = 400;

struct SessionPlace {
  std::string_view cwd;
  std::string_view session_id;  // native id of the session that asks; what it holds is not repeated
  std::string branch;           // checked out in cwd; empty: none, or not known
};

// Returns where work on the checked-out branch stopped within a week, in any worktree of the repository; the sessions
// of other branches of the last day; and what the person said in several sessions. Of the branch it says nothing after
// a plan was handed over, because the plan says it.
Result<std::vector<std::string>> lines_at_start(Reader& reader, const SessionPlace& place, TimeMs now);

// Returns what the session did that its own summary may lack: commits, how tests and commands ended, refusals, rules.
Result<std::vector<std::string>> lines_after_compaction(Reader& reader, const SessionPlace& place);

}  // namespace memd::admin
