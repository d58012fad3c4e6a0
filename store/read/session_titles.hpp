#pragma once

#include "schemas/sql_text.hpp"

#include <string>
#include <string_view>

namespace memd {
struct SessionHead;
}
namespace memd::sqlite {
class Statement;
}

// Titles of sessions, and the columns that name a session in other queries. Functions throw ErrorException. Connection
// thread.
namespace memd::queries {

// Two columns over `sessions s`, as session_title() takes them. The first is the stored title. The second is filled
// where the title is short: the starts of the first four prompts, separated by char(30), then char(29) and the result
// stored by the analysis. At its end char(28) and who shared the session, if it came from another machine.
inline constexpr auto kTitleColumns = sql_text(R"(
  s.title,
  CASE WHEN length(s.title) > 48 THEN '' ELSE coalesce(
    (SELECT group_concat(begin, char(30)) FROM
       (SELECT substr(t.user_message, 1, 1000) AS begin FROM exchanges t
        WHERE t.session_pk = s.session_pk AND t.user_message <> '' AND t.origin <> Origin::injected
        ORDER BY t.exchange_number LIMIT 4))
    || char(29) || coalesce((SELECT d.result FROM session_digests d WHERE d.session_pk = s.session_pk), ''), '') END
    || iif(s.shared_by = '', '', char(28) || s.shared_by))");

// Columns that read_head reads after the title columns. The project is kProjectOfSession's.
inline constexpr std::string_view kSessionHeadColumns = ", s.session_pk, s.uid, s.platform, coalesce(p.name, '')";
inline constexpr std::string_view kProjectOfSession = " LEFT JOIN projects p ON p.project_pk = s.project_pk ";
// Reads columns 0 to 5.
void read_head(const sqlite::Statement& q, SessionHead& head);

// Returns a title of at most 80 characters. Candidates in order: the stored title if it is informative; the first line
// of an informative prompt; the session's result; whatever there is. Not informative are prompts without two telling
// words, commands without arguments, and texts of clients and templates (store/text/words/titles.words). A slash
// command, recorded as tags by clients, is shown as typed: "/compact keep the API". Who shared the session stands in
// front: "ada@laptop: …". `told`: the second column of kTitleColumns.
std::string session_title(std::string_view stored, std::string_view told);
// Returns whether a stored title tells enough to stand by itself.
bool is_informative(std::string_view title);

}  // namespace memd::queries
