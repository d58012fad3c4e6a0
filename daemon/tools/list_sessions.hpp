#pragma once

#include "daemon/tools/answer.hpp"
#include "daemon/tools/scope_params.hpp"
#include "daemon/tools/session_facts.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace memd::mcp {
class ToolRegistry;
}

namespace memd::tools {

struct ToolServices;

struct ListSessionsParams : ScopeParams {
  std::optional<std::int64_t> n_results;
  bool include_subagents = false;
  std::optional<std::string> state;
  std::optional<std::string> usage;
};
inline constexpr std::array<std::string_view, 4> kStateChoices{"started", "active", "stopped", "capture_disabled"};

struct SessionOut : SessionFactsOut {
  std::string session_id;
  std::string platform;
  std::string session_name;
  std::string project;
  std::optional<std::string> worktree;
  std::string cwd;
  std::string git_branch;
  std::string model;
  std::string started_at;
  std::string last_event_at;
  std::optional<std::string> ended_at;
  std::string state;
  std::string outcome;
  std::vector<std::string> outcome_reasons;
  std::int64_t exchanges = 0;
  std::int64_t tool_calls = 0;
  std::int64_t tool_errors = 0;
  std::int64_t compactions = 0;
  std::int64_t tokens_input = 0;
  std::int64_t tokens_output = 0;
  std::int64_t tokens_cache_read = 0;
  std::int64_t tokens_cache_creation = 0;
  std::optional<std::int64_t> tokens_subagents;
  std::optional<std::string> parent_session_id;
  std::optional<std::string> forked_from;
  std::optional<std::string> evicted_at;
};

// What a day, a model, … used, instead of sessions.
struct UsageOut {
  std::string key;
  std::int64_t tokens_input = 0;
  std::int64_t tokens_output = 0;
  std::int64_t tokens_cache_read = 0;
  std::int64_t tokens_cache_creation = 0;
  std::optional<double> cost_usd;
  std::optional<std::int64_t> unpriced_tokens;
  std::optional<bool> lower_bound;
};

struct ListSessionsAnswer : Answer {
  std::vector<SessionOut> sessions;
  std::optional<std::vector<UsageOut>> usage;
  std::int64_t total = 0;
};
AnswerText render_text(const ListSessionsAnswer& answer);

void add_list_sessions(mcp::ToolRegistry& registry, const ToolServices& services);

}  // namespace memd::tools

namespace memd::mcp {

template <>
struct Describe<tools::ListSessionsParams> {
  using T = tools::ListSessionsParams;
  static constexpr auto fields = join_fields(tools::kDirectoryFields, tools::kPlatformFields, tools::kTimeFields,
                                             fields_of(field("state", &T::state, "", one_of(tools::kStateChoices)),
                                                       field("include_subagents", &T::include_subagents, ""),
                                                       field("usage", &T::usage, "Instead: tokens and cost by day, model …"),
                                                       field("n_results", &T::n_results, "", clamped(1, 1000))),
                                             tools::kPageFields);
};
template <>
struct Describe<tools::SessionOut> {
  using T = tools::SessionOut;
  static constexpr auto fields = join_fields(
      fields_of(field("session_id", &T::session_id, "For recent_turns and the session_id of searches."),
                field("platform", &T::platform, "Agent."), field("session_name", &T::session_name, "Title."),
                field("project", &T::project, "Project."),
                field("worktree", &T::worktree, "Git worktree of the project that it worked in."),
                field("cwd", &T::cwd, "Where it worked."), field("git_branch", &T::git_branch, "Branch."),
                field("model", &T::model, "Model."), field("started_at", &T::started_at, "RFC 3339."),
                field("last_event_at", &T::last_event_at, "RFC 3339."),
                field("ended_at", &T::ended_at, "When it stopped; absent while it goes on."),
                field("state", &T::state, "started, active, stopped or capture_disabled."),
                field("outcome", &T::outcome, "success, fail, abandoned or unknown."),
                field("outcome_reasons", &T::outcome_reasons, "Signs that speak for it, strongest first."),
                field("exchanges", &T::exchanges, "Exchanges in it."),
                field("tool_calls", &T::tool_calls, "Tools called."),
                field("tool_errors", &T::tool_errors, "Of those, failed."),
                field("compactions", &T::compactions, "Times the context was compacted."),
                field("tokens_input", &T::tokens_input, "Without what came from the cache."),
                field("tokens_output", &T::tokens_output, "Tokens the model wrote."),
                field("tokens_cache_read", &T::tokens_cache_read, "Tokens read from the cache."),
                field("tokens_cache_creation", &T::tokens_cache_creation, "Tokens put into the cache."),
                field("tokens_subagents", &T::tokens_subagents, "Part of these that subagents used."),
                field("parent_session_id", &T::parent_session_id, "Of a subagent: who started it."),
                field("forked_from", &T::forked_from, "The session that it began as a copy of; those turns are there."),
                field("evicted_at", &T::evicted_at, "When its texts were dropped.")),
      Describe<tools::SessionFactsOut>::fields);
};
template <>
struct Describe<tools::UsageOut> {
  using T = tools::UsageOut;
  static constexpr auto fields =
      fields_of(field("key", &T::key, "What `usage` names; \"total\" of all."),
                field("tokens_input", &T::tokens_input, "Without what came from the cache."),
                field("tokens_output", &T::tokens_output, "Tokens the model wrote."),
                field("tokens_cache_read", &T::tokens_cache_read, "Tokens read from the cache."),
                field("tokens_cache_creation", &T::tokens_cache_creation, "Tokens put into the cache."),
                field("cost_usd", &T::cost_usd, "By the prices of models; absent: none has a known price."),
                field("unpriced_tokens", &T::unpriced_tokens, "Tokens that the cost leaves out; absent: none."),
                field("lower_bound", &T::lower_bound, "True: some responses were cut off, so it was more."));
};
template <>
struct Describe<tools::ListSessionsAnswer> {
  using T = tools::ListSessionsAnswer;
  static constexpr auto fields = join_fields(
      Describe<tools::Answer>::head,
      fields_of(field("sessions", &T::sessions, "Newest first."),
                field("usage", &T::usage, "Newest or largest first, after the total; absent: not asked for."),
                field("total", &T::total, "On all pages.")),
      Describe<tools::Answer>::tail);
};

}  // namespace memd::mcp
