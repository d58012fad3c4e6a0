#pragma once

#include "schemas/base/timestamp.hpp"
#include "schemas/session_row.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Rows of `sessions`, for queries. Functions throw ErrorException. Connection thread.
namespace memd::queries {

// "SELECT … FROM sessions s …", to be continued with WHERE. read_session() reads its rows.
const std::string& select_sessions();
SessionRow read_session(sqlite::Database& db, const sqlite::Statement& q);
// Loads one session. Errc::not_found when there is no such row.
SessionRow session_by_pk(sqlite::Database& db, std::int64_t session_pk);
// SessionRow::source_path and source_bytes of a session, which is much less work than its row.
struct SessionSource {
  std::string path;
  std::int64_t bytes = 0;
};
SessionSource source_of_session(sqlite::Database& db, std::int64_t session_pk);
// Computes Cost::wall_clock from the rows of a session; nullopt without exchanges that have a time.
std::optional<TimeMs> work_time(sqlite::Database& db, std::int64_t session_pk);

// SQL expression over `sessions s` for SessionLife::silent_since.
inline constexpr std::string_view kSilentSince =
    "CASE WHEN s.ended_at BETWEEN 1 AND s.ingested_at THEN s.ended_at"
    " WHEN s.ended_at = 0 AND s.next_seq = 0 AND s.turns = 0 THEN 0 ELSE min(s.ingested_at, coalesce("
    "(SELECT nullif(f.mtime, 0) FROM sources f WHERE f.source_pk = s.source_pk), s.ingested_at)) END";

// Columns of `sessions s`, and what reads them from `column` on.
inline constexpr std::string_view kAttributeColumns =
    "s.kind, s.parent_uid, s.parent_call_id, s.forked_from, s.agent_name, s.title, s.title_rank, s.description, s.cwd, "
    "s.git_branch, s.model,"
    " s.agent_version, s.mode, s.repo, s.started_at, s.ended_at, s.context_tokens, s.lines_added, s.lines_removed,"
    " s.cost_usd";
void read_attributes(const sqlite::Statement& row, int column, SessionAttributes& out);

// SQL condition over `sessions s`: the stored outcome is valid. A session continued since its analysis did not end with
// that outcome.
inline constexpr std::string_view kJudged = "s.analysis_version > 0 OR s.evicted_at IS NOT NULL OR s.next_seq = 0";

}  // namespace memd::queries
