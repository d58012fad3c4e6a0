#pragma once

#include "daemon/tools/answer_text.hpp"
#include "daemon/tools/scope_params.hpp"
#include "daemon/tools/tool_services.hpp"
#include "protocol/mcp/tool_context.hpp"
#include "schemas/base/result.hpp"
#include "schemas/query.hpp"
#include "schemas/store_health.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memd {
struct SessionRow;
}

// The scope of a tool call: the history it may search. Free functions without shared state; each may be called on any
// thread.
namespace memd::tools {

// The history that a call searches, and the reasons for skipping the rest.
struct Scope {
  QueryFilter filter;
  std::vector<std::string> searched;
  // Platform and reason. A platform without history here is listed only if the call names it.
  std::vector<std::pair<std::string, AnswerText>> skipped;
  std::vector<PlatformFreshness> freshness;  // of the platforms searched
  AnswerText trouble;                        // words_for_trouble()
  AnswerText unread;                         // sentences about history that has not been read yet; may be empty
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

// Returns the sentence with which an answer begins if this process stores nothing new; empty: it does.
AnswerText words_for_trouble(const FreshnessProvider& freshness);

// A tool's requirements on history.
struct ScopeRequest {
  std::optional<Capability> needed;
  std::string session;  // as QueryFilter::session; empty: none
  // Set for a search: its scope is narrowed to the project of the caller's directory, and Scope::words describes it.
  // Null: neither.
  const mcp::ToolContext* caller = nullptr;
};

// Returns the directory of a call: `cwd`, else the client's only root, else the directory in which the client started
// memd. A file: URI is returned as the path that it names. Empty: unknown. May wait for the client, so it has to be
// called before a reader is leased.
std::string caller_directory(const ScopeParams& params, const mcp::ToolContext& caller);
// Returns the project filter for `directory`, as QueryFilter::project: that of the directory itself if it or a
// directory below it is a project, else that of the nearest project above. Empty if there is none. Leases a reader.
Result<std::string> project_of_directory(const ToolServices& services, const std::string& directory);
// The projects of a call: those it names, else that of the caller's directory if ToolDefaults::own_project, else all.
struct ProjectsAsked {
  std::string filter;     // as QueryFilter::project
  AnswerText words;       // "project /home/u/app", "projects like \"app\"", "all projects"
  bool narrowed = false;  // to the project of the caller's directory
  AnswerText lead{};      // of newest_asked_for(): the session is not one of the caller's directory, and why
};
// Leases a reader.
Result<ProjectsAsked> projects_asked_for(const ToolServices& services, const ScopeParams& params,
                                         const mcp::ToolContext& caller);

// Resolves the scope of a call. Skips platforms that lack `needed`, are disabled or have no usable adapter, with a
// reason in words for each; their stored history is excluded, too. Leases a reader for a named project and for the
// caller's directory, so it has to be called before the caller leases its own: calls that hold one each would wait for
// another.
Result<Scope> resolve_scope(const ToolServices& services, const ScopeParams& params, ScopeRequest request = {});

// Returns the most tokens of the answer; kNoTokenLimit: any number.
std::size_t token_limit(const ToolServices& services, const ScopeParams& params);

// Returns the projects whose newest session a call without `session_id` means; `lead` says so, else `words`. Empty for
// other calls. Leases a reader.
Result<ProjectsAsked> newest_asked_for(const ToolServices& services, const ScopeParams& params,
                                       const std::optional<std::string>& session_id, const mcp::ToolContext& caller);

// Returns the scope of a call about one session. Leases no reader.
Result<Scope> scope_of(const ToolServices& services, const SessionRow& session, Capability needed);

}  // namespace memd::tools
