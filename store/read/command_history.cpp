#include "store/read/command_history.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/json_writer.hpp"
#include "schemas/event.hpp"
#include "schemas/sql_text.hpp"
#include "store/db/rows.hpp"
#include "store/read/row_filter.hpp"

#include <boost/algorithm/string/join.hpp>

namespace memd {
namespace {

// The words for SQL's json_each().
std::string word_list(const std::vector<std::string>& words) {
  std::string out;
  json::Writer w(out);
  w.begin_array();
  for (const std::string& word : words)
    w.string(ascii::lowered(word));
  w.end_array();
  return out;
}

}  // namespace

CommandHistoryQuery::Answer CommandHistoryQuery::run(sqlite::Database& db) const {
  using namespace queries;
  static const std::string failed_run =
      "(coalesce(o.outcome = " + std::to_string(static_cast<int>(RunOutcome::failed)) +
      ", coalesce(o.exit_code, 0) <> 0 OR coalesce(r.flags, 0) & " + std::to_string(kFlagError) + " <> 0))";
  static const std::string sql =
      "SELECT c.line, iif(c.directory <> '', c.directory, s.cwd), count(*), sum(" + failed_run + "), max(e.time), " +
      failed_run +
      ", o.exit_code, coalesce(r.summary, ''), s.uid, s.platform,"
      " (SELECT x.exchange_pk FROM exchanges x WHERE x.session_pk = c.session_pk AND x.first_seq <= c.event_seq"
      "  ORDER BY x.exchange_number DESC LIMIT 1), count(*) OVER (), c.session_pk, c.event_seq,"
      " coalesce(r.seq, 0)"
      " FROM sessions s JOIN commands c ON c.session_pk = s.session_pk"
      " JOIN events e ON e.session_pk = c.session_pk AND e.seq = c.event_seq"
      " LEFT JOIN events r ON r.session_pk = c.session_pk AND r.seq = e.pair_seq"
      " LEFT JOIN command_results o ON o.session_pk = c.session_pk AND o.event_seq = e.pair_seq"
      " WHERE " +
      std::string(kSessionConditions) + " AND (?5 = 0 OR e.time >= ?5) AND (?6 = 0 OR e.time < ?6) AND (NOT ?7 OR " +
      failed_run +
      ") AND NOT EXISTS (SELECT 1 FROM json_each(?8) w WHERE instr(lower(iif(?7, c.line || char(10) ||"
      " coalesce(r.summary, ''), c.line)), w.value) = 0)"
      " GROUP BY c.line ORDER BY EXISTS (SELECT 1 FROM (VALUES (char(10)), ('&& '), ('; '), ('| ')) cut"
      "  WHERE instr(char(10) || lower(c.line), cut.column1 || ?10) > 0) DESC, max(e.time) DESC, c.line LIMIT ?9";
  const auto c = conditions_of(db, filter);
  const std::string wanted = word_list(words);
  Found out;
  auto& q = db.query(sql, c.platforms, c.project, c.session_pk, c.include_subagents, filter.since, filter.until, failed,
                     wanted, limit, ascii::lowered(boost::algorithm::join(words, " ")));  // as a command begins
  while (q.step()) {
    PastCommand& one = out.commands.emplace_back();
    sqlite::read(q, one.line, one.directory, one.times, one.failures, one.last, one.failed, one.exit_code, one.result,
                 one.session_uid, one.platform, one.exchange, out.total, one.session_pk, one.seq, one.result_seq);
  }
  return out;
}

}  // namespace memd
