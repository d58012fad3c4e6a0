#pragma once

#include "schemas/query.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Members throw ErrorException.
namespace memd::queries {

SessionList list_sessions(sqlite::Database& db, const SessionListQuery& query);
SessionRow session_by_pk(sqlite::Database& db, std::int64_t session_pk);
std::vector<SessionRow> subagents_of(sqlite::Database& db, std::string_view session_uid);

// See Reader::session.
std::int64_t resolve_session(sqlite::Database& db, std::string_view reference, std::string_view project);

// Two columns over `sessions s`: the stored title, and where that is empty the start of the first prompt.
inline constexpr std::string_view kTitleColumns = R"(
  s.title,
  CASE WHEN s.title <> '' THEN NULL ELSE
    (SELECT substr(t.user_message, 1, 1000) FROM exchanges t
     WHERE t.session_pk = s.session_pk AND t.user_message <> '' AND t.origin <> 8
     ORDER BY t.exchange_number LIMIT 1) END)";

// The stored title, else the first line of the prompt that says something, at most 80 characters. A slash command,
// which clients record as tags, is shown as it was typed: "/compact keep the API".
std::string session_title(std::string_view stored, std::string_view first_prompt);

}  // namespace memd::queries
