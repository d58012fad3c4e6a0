#pragma once

#include "schemas/query.hpp"
#include "schemas/sql_text.hpp"
#include "store/db/rows.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memd::queries {

// A QueryFilter as statement parameters.
struct SessionConditions {
  std::string platforms;        // ",claude_code,cursor,"; empty: all
  std::string project;          // the filter's project in lower case
  std::int64_t session_pk = 0;  // 0: all
  bool include_subagents = true;
};

// Throws not_found or invalid_argument when `filter.session` names no session or several.
SessionConditions conditions_of(sqlite::Database& db, const QueryFilter& filter);

// Condition on `sessions s`. Takes parameters ?1 … ?4: platforms, project, session_pk, include_subagents. A session of
// a joined project (a worktree, for example) has the project that this is joined to, and its own one.
inline constexpr auto kSessionConditions = sql_text(R"(
  (?1 = '' OR instr(?1, ',' || s.platform || ',') > 0)
  AND (?2 = '' OR s.project_pk IN (SELECT fp.project_pk FROM projects fp
                                   WHERE instr(lower(fp.identity_key), ?2) > 0 OR instr(lower(fp.name), ?2) > 0
                                      OR instr(char(1) || lower(fp.identity_key) || '/', ?2) = 1)
               OR s.own_project_pk IN (SELECT op.project_pk FROM projects op
                                       WHERE op.joined_pk IS NOT NULL
                                         AND (instr(lower(op.identity_key), ?2) > 0 OR instr(lower(op.name), ?2) > 0
                                              OR instr(char(1) || lower(op.identity_key) || '/', ?2) = 1)))
  AND (?3 = 0 OR s.session_pk = ?3)
  AND (?4 = 1 OR s.kind = SessionKind::main))");

// Condition on `sessions s`: the session has words of its own, or its turns were counted elsewhere. Others are
// placeholders: made for a subagent whose parent is missing, or of records around a conversation (a start, snapshots, a
// mode). They are no answer to "latest", and in no list that does not ask for them.
inline constexpr std::string_view kHasWords =
    "(s.turns > 0 OR EXISTS (SELECT 1 FROM exchanges w WHERE w.session_pk = s.session_pk AND (w.user_message <> ''"
    " OR w.assistant_response <> '' OR w.interventions <> '' OR w.tool_calls > 0)))";

// Formats ",claude_code,cursor,"; empty for none.
std::string platform_list(const std::vector<Platform>& platforms);

// Formats numbers for SQL's json_each(): "[3,14]".
std::string number_list(const std::vector<std::int64_t>& numbers);

}  // namespace memd::queries
