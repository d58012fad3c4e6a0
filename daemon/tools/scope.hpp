#pragma once

#include "daemon/tools/answer_text.hpp"
#include "daemon/tools/toolset.hpp"
#include "protocol/mcp/describe.hpp"
#include "protocol/mcp/tool_context.hpp"
#include "schemas/error.hpp"
#include "schemas/time.hpp"
#include "store/text/time_expression.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The scope of a tool call: its shared parameters, the history it may search, and readers for it. Free functions
// without shared state; each may be called on any thread.
namespace memd::tools {

using search::RangeEnd;

// Parses a time with search::read_time(). Errc::invalid_argument names `argument` and says what to send.
Result<TimeMs> parse_time_argument(std::string_view argument, std::string_view text, RangeEnd end, const Clock& clock);

struct TimeSpan {
  TimeMs since = 0;  // inclusive; 0: open
  TimeMs until = 0;  // exclusive; 0: open
};

// Parses both ends. Errc::invalid_argument for an empty range and for a `since` in the future.
Result<TimeSpan> parse_time_span(const std::optional<std::string>& since, const std::optional<std::string>& until,
                                 const Clock& clock);

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

// Fields that most tools share. Only semantic_search describes them, with the kTold… variants, because a model pays for
// each word of each tool. The other tools rely on the names.
inline constexpr auto kPlatformFields =
    fields_of(mcp::field("platforms", &ScopeParams::platforms, "", mcp::max_items(kPlatforms.size())),
              mcp::field("platform", &ScopeParams::platform, "", mcp::unlisted),
              mcp::field("project", &ScopeParams::project, "", mcp::length(0, 500)));
inline constexpr auto kToldPlatformFields =
    fields_of(mcp::field("platforms", &ScopeParams::platforms, "Only these agents: claude_code, codex, cursor, …",
                         mcp::max_items(kPlatforms.size())),
              mcp::field_at<1>(kPlatformFields),
              mcp::field("project", &ScopeParams::project, "Part of a project's path or name.", mcp::length(0, 500)));
inline constexpr auto kTimeFields = fields_of(mcp::field("since", &ScopeParams::since, "", mcp::length(0, 60)),
                                              mcp::field("until", &ScopeParams::until, "", mcp::length(0, 60)));
inline constexpr auto kToldTimeFields = fields_of(
    mcp::field("since", &ScopeParams::since, "From this time on: 2026-02-09, 7d, yesterday, \"last week\".",
               mcp::length(0, 60)),
    mcp::field("until", &ScopeParams::until, "Up to this time; a bare date includes that day.", mcp::length(0, 60)));
inline constexpr auto kPageFields =
    fields_of(mcp::field("max_tokens", &ScopeParams::max_tokens, "", mcp::clamped(kLeastMaxTokens, kMostMaxTokens)),
              mcp::field("cursor", &ScopeParams::cursor, "", mcp::length(0, 100)));
inline constexpr auto kToldPageFields = fields_of(
    mcp::field("max_tokens", &ScopeParams::max_tokens, "Size of the answer: 200 to 8000, default 2000.",
               mcp::clamped(kLeastMaxTokens, kMostMaxTokens)),
    mcp::field("cursor", &ScopeParams::cursor, "`next` of the last answer, for the rest of it.", mcp::length(0, 100)));
inline constexpr auto kDirectoryFields = fields_of(mcp::field("cwd", &ScopeParams::cwd, "", mcp::length(0, 1000)),
                                                   mcp::field("all_projects", &ScopeParams::all_projects, ""));
inline constexpr auto kToldDirectoryFields = fields_of(
    mcp::field("cwd", &ScopeParams::cwd, "Your working directory: only its project is searched.", mcp::length(0, 1000)),
    mcp::field("all_projects", &ScopeParams::all_projects, "Search all projects."));

// The history that a call searches, and the reasons for skipping the rest.
struct Scope {
  QueryFilter filter;
  std::vector<std::string> searched;
  // Platform and reason. A platform without history here is listed only if the call names it.
  std::vector<std::pair<std::string, AnswerText>> skipped;
  std::vector<PlatformFreshness> freshness;  // of the platforms searched
  std::string trouble;                       // FreshnessProvider::trouble
  AnswerText unread;                         // sentence about agents of which nothing has been read yet; may be empty
  std::string unknown_project;               // answer of UnknownProjectQuery
  AnswerText words;                          // "project /home/u/app", "all projects"; empty: no search
  bool narrowed = false;                     // filter.project is that of the caller's directory
  bool is_selected = false;                  // the caller named platforms
  std::string key;                           // for question_key()

  bool includes(Platform platform) const {
    const auto& left = filter.platforms;
    return !filter.no_platform && (left.empty() || std::find(left.begin(), left.end(), platform) != left.end());
  }
};

// A tool's requirements on history.
struct ScopeRequest {
  std::optional<Capability> needed;
  std::string session;  // as QueryFilter::session; empty: none
  // Set for a search: its scope is narrowed to the project of the caller's directory, and Scope::words describes it.
  // Null: neither.
  const mcp::ToolContext* caller = nullptr;
};

// Returns the directory of a call: `cwd`, else the client's root. Empty: unknown, or the client has several roots. May
// wait for the client, so it has to be called before a reader is leased.
std::string caller_directory(const ScopeParams& params, const mcp::ToolContext& caller);
// Returns the project filter for `directory`, as QueryFilter::project: that of the directory itself if it or a
// directory below it is a project, else that of the nearest project above. Empty if there is none. Leases a reader.
Result<std::string> project_of_directory(const ToolServices& services, const std::string& directory);
// The projects of a call: those it names, else that of the caller's directory if ToolDefaults::own_project, else all.
struct ProjectsAsked {
  std::string filter;     // as QueryFilter::project
  AnswerText words;       // "project /home/u/app", "projects like \"app\"", "all projects"
  bool narrowed = false;  // to the project of the caller's directory
};
// Leases a reader.
Result<ProjectsAsked> projects_asked_for(const ToolServices& services, const ScopeParams& params,
                                         const mcp::ToolContext& caller);

// Resolves the scope of a call. Skips platforms that lack `needed`, are disabled or have no usable adapter, with a
// reason in words for each; their stored history is excluded, too. Leases a reader for a named project and for the
// caller's directory, so it has to be called before the caller leases its own: calls that hold one each would wait for
// another.
Result<Scope> resolve_scope(const ToolServices& services, const ScopeParams& params, ScopeRequest request = {});

// Computes Answer::outside of a list: how many more items `query` counts without the project that narrowed the scope.
// nullopt if the scope was not narrowed.
template <class Query>
Result<std::optional<std::int64_t>> count_outside(Reader& reader, const Scope& scope, Query query,
                                                  std::int64_t Query::Answer::*total, std::int64_t inside) {
  if (!scope.narrowed) return std::optional<std::int64_t>();
  query.filter.project.clear();
  query.limit = 0;
  MEMD_TRY_ASSIGN(const auto everywhere, reader.ask(query));
  return std::optional(everywhere.*total - inside);
}

inline constexpr std::size_t kNoTokenLimit = std::size_t{1} << 40;
// Returns the most tokens of the answer; kNoTokenLimit: any number.
std::size_t token_limit(const ToolServices& services, const ScopeParams& params);

// Leases a reader whose queries end when the call is cancelled. Waits for one up to 5 s.
Result<ReaderPool::Lease> lease_reader(const ToolServices& services, std::stop_token stop);

// Runs SessionQuery. A not_found error also says how many sources are still to be read.
Result<SessionRow> find_session(const ToolServices& services, Reader& reader, std::string_view reference,
                                std::string_view project = {});

// Returns the projects whose newest session a call without `session_id` means; `words` say so. Empty for other calls.
// Leases a reader.
Result<ProjectsAsked> newest_asked_for(const ToolServices& services, const ScopeParams& params,
                                       const std::optional<std::string>& session_id, const mcp::ToolContext& caller);
// Returns the session that a call names, else the newest one of `projects`.
Result<SessionRow> session_asked_for(const ToolServices& services, Reader& reader, const ProjectsAsked& projects,
                                     const std::optional<std::string>& session_id);

// Returns the scope of a call about one session. Leases no reader.
Result<Scope> scope_of(const ToolServices& services, const SessionRow& session, Capability needed);

// Parameters of the tools about one session.
struct SessionParams : ScopeParams {
  std::optional<std::string> session_id;
};

inline constexpr auto kSessionFields = fields_of(
    mcp::field("session_id", &SessionParams::session_id, "Id or its beginning; default: the newest of cwd or project.",
               mcp::length(0, 200)),
    mcp::field_at<2>(kPlatformFields), mcp::field_at<0>(kDirectoryFields), mcp::field_at<1>(kDirectoryFields));

}  // namespace memd::tools
