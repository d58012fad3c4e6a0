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

// What memd says by itself at moments of a session. Lines without secrets, most important first; none when there is
// nothing worth saying.
namespace memd::admin {

// Maximum tokens of history.
inline constexpr std::size_t kStartTokens = 250;
inline constexpr std::size_t kStandingTokens = 80;
inline constexpr std::size_t kCompactionTokens = 400;
inline constexpr std::size_t kPromptTokens = 120;

struct SessionPlace {
  std::string_view cwd;
  std::string_view session_id;  // native id of the session that asks; what it holds is not repeated
  std::string branch;           // checked out in cwd; empty: none, or not known
};

// Returns where work on the checked-out branch stopped within a week, in any worktree of the repository; beside it
// other worktrees with work of the last day; and the standing lines. Of the branch it says nothing after a plan was
// handed over, because the plan says it.
Result<std::vector<std::string>> lines_at_start(Reader& reader, const SessionPlace& place, TimeMs now);

// Returns what the person said in several sessions of the project.
Result<std::vector<std::string>> standing_lines(Reader& reader, const SessionPlace& place, TimeMs now);

// Returns what the session did that its own summary may lack: commits, replies, how tests and commands ended, refusals,
// rules.
Result<std::vector<std::string>> lines_after_compaction(Reader& reader, const SessionPlace& place);

// Returns at most one line about a prompt, from other sessions of the project: what the prompt refers back to; for the
// first prompt of a session, a sure hit of the last 48 hours or of its branch; else a decision of the person that
// shares rare words with it.
Result<std::vector<std::string>> line_at_prompt(Reader& reader, const SessionPlace& place, std::string_view prompt,
                                                TimeMs now);

}  // namespace memd::admin
