#pragma once

#include "daemon/tools/answer.hpp"
#include "daemon/tools/scope_params.hpp"
#include "daemon/tools/session_facts.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace memd::tools {

struct ListSessionsParams : ScopeParams {
  std::optional<std::int64_t> n_results;
  bool include_subagents = false;
  std::optional<std::string> state;
  std::optional<std::string> usage;
};
// As lists show them to people, and as answers name them.
inline constexpr std::array<std::string_view, 10> kStateChoices{
    "running", "done", "failed", "abandoned", "ended", "paused", "started", "active", "stopped", "capture_disabled"};

struct SessionOut : SessionFactsOut, SessionRefOut {
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

MEMD_DESCRIBE(memd::tools::ListSessionsParams, tools::kDirectoryFields, tools::kPlatformFields, tools::kTimeFields,
              field<&T::state>("running, done, failed, abandoned, ended or paused.", one_of(tools::kStateChoices),
                               choices_unlisted),
              field<&T::include_subagents>(), field<&T::usage>("Instead: tokens and cost by day, model …"),
              field<&T::n_results>(clamped(1, 1000)), tools::kPageFields);
MEMD_DESCRIBE(memd::tools::SessionOut, field<&T::session_id>("For recent_turns and the session_id of searches."),
              plain<&T::platform, &T::session_name, &T::project>(),
              field<&T::worktree>("Git worktree of the project that it worked in."),
              plain<&T::cwd, &T::git_branch, &T::model>(), field<&T::started_at>("RFC 3339."),
              field<&T::last_event_at>("RFC 3339."), field<&T::ended_at>("When it stopped; absent while it goes on."),
              field<&T::state>("started, active, stopped or capture_disabled."),
              field<&T::outcome>("success, fail, abandoned or unknown."),
              field<&T::outcome_reasons>("Signs that speak for it, strongest first."),
              plain<&T::exchanges, &T::tool_calls>(), field<&T::tool_errors>("Of those, failed."),
              field<&T::compactions>("Times the context was compacted."),
              field<&T::tokens_input>("Without what came from the cache."), field<&T::tokens_output>(),
              field<&T::tokens_cache_read>("Tokens read from the cache."),
              field<&T::tokens_cache_creation>("Tokens put into the cache."),
              field<&T::tokens_subagents>("Part of these that subagents used."),
              field<&T::parent_session_id>("Of a subagent: who started it."),
              field<&T::forked_from>("The session that it began as a copy of; those turns are there."),
              field<&T::evicted_at>("When its texts were dropped."), kFieldsOf<tools::SessionFactsOut>);
MEMD_DESCRIBE(memd::tools::UsageOut, field<&T::key>("What `usage` names; \"total\" of all."),
              field<&T::tokens_input>("Without what came from the cache."), field<&T::tokens_output>(),
              field<&T::tokens_cache_read>("Tokens read from the cache."),
              field<&T::tokens_cache_creation>("Tokens put into the cache."),
              field<&T::cost_usd>("By the prices of models; absent: none has a known price."),
              field<&T::unpriced_tokens>("Tokens that the cost leaves out; absent: none."),
              field<&T::lower_bound>("True: some responses were cut off, so it was more."));
MEMD_DESCRIBE_ANSWER(memd::tools::ListSessionsAnswer, field<&T::sessions>("Newest first."),
                     field<&T::usage>("Newest or largest first, after the total; absent: not asked for."),
                     field<&T::total>("On all pages."));
