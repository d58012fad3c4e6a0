#pragma once

#include "protocol/mcp/describe.hpp"
#include "schemas/platform.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// The parameters by which calls choose a part of the history, and how JSON names them. Plain values.
namespace memd::tools {

// Parameters that most tools share.
struct ScopeParams {
  std::vector<std::string> platforms;
  std::optional<std::string> platform;  // one more, for callers that send a single one
  std::optional<std::string> project;
  std::optional<std::string> since;
  std::optional<std::string> until;
  std::optional<std::int64_t> max_tokens;
  std::optional<std::string> cursor;
  std::optional<std::string> cwd;
  bool all_projects = false;
};

// Returns whether a call names agents.
inline bool names_platforms(const ScopeParams& params) {
  return !params.platforms.empty() || !params.platform.value_or("").empty();
}

inline constexpr double kLeastMaxTokens = 200;
inline constexpr double kMostMaxTokens = 8000;
// The token limit of an answer without one.
inline constexpr std::size_t kNoTokenLimit = std::size_t{1} << 40;

// Fields that most tools share. Only semantic_search describes them, with the kTold… variants, because a model pays for
// each word of each tool. The other tools rely on the names.
inline constexpr auto kPlatformFields = fields_of(
    mcp::field<&ScopeParams::platforms>(mcp::max_items(kPlatforms.size())),
    mcp::field<&ScopeParams::platform>(mcp::unlisted), mcp::field<&ScopeParams::project>(mcp::length(0, 500)));
inline constexpr auto kDescribedPlatformFields =
    fields_of(mcp::field<&ScopeParams::platforms>("Only these agents: claude_code, codex, cursor, …",
                                                  mcp::max_items(kPlatforms.size())),
              mcp::field_at<1>(kPlatformFields),
              mcp::field<&ScopeParams::project>("Part of a project's path or name.", mcp::length(0, 500)));
inline constexpr auto kTimeFields =
    fields_of(mcp::field<&ScopeParams::since>(mcp::length(0, 60)), mcp::field<&ScopeParams::until>(mcp::length(0, 60)));
inline constexpr auto kDescribedTimeFields = fields_of(
    mcp::field<&ScopeParams::since>("From this time on: 2026-02-09, 7d, yesterday, \"last week\".", mcp::length(0, 60)),
    mcp::field<&ScopeParams::until>("Up to this time; a bare date includes that day.", mcp::length(0, 60)));
inline constexpr auto kPageFields =
    fields_of(mcp::field<&ScopeParams::max_tokens>(mcp::clamped(kLeastMaxTokens, kMostMaxTokens)),
              mcp::field<&ScopeParams::cursor>(mcp::length(0, 100)));
inline constexpr auto kDescribedPageFields =
    fields_of(mcp::field<&ScopeParams::max_tokens>("Size of the answer: 200 to 8000, default 2000.",
                                                   mcp::clamped(kLeastMaxTokens, kMostMaxTokens)),
              mcp::field<&ScopeParams::cursor>("`next` of the last answer, for the rest of it.", mcp::length(0, 100)));
inline constexpr auto kDirectoryFields =
    fields_of(mcp::field<&ScopeParams::cwd>(mcp::length(0, 1000)), mcp::field<&ScopeParams::all_projects>());
inline constexpr auto kDescribedDirectoryFields = fields_of(
    mcp::field<&ScopeParams::cwd>("Your working directory: only its project is searched.", mcp::length(0, 1000)),
    mcp::field<&ScopeParams::all_projects>("Search all projects."));

// Parameters of the tools about one session.
struct SessionParams : ScopeParams {
  std::optional<std::string> session_id;
};

inline constexpr auto kSessionFields = fields_of(
    mcp::field<&SessionParams::session_id>("Id or its beginning; default: the newest of cwd or project.",
                                           mcp::length(0, 200)),
    mcp::field_at<2>(kPlatformFields), mcp::field_at<0>(kDirectoryFields), mcp::field_at<1>(kDirectoryFields));

}  // namespace memd::tools
