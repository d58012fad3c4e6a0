#pragma once

#include "store/db/database.hpp"

#include <string>
#include <vector>

namespace memd::test {

// Returns all rows that a transcript determines, as text, without times of ingestion.
inline std::vector<std::string> dump_store(sqlite::Database& db) {
  static const char* const kQueries[] = {
      "SELECT 'session', uid, kind, parent_uid, forked_from, title, title_rank, cwd, git_branch, model, started_at,"
      " ended_at, stopped_at, repo, turns, retries,"
      " tool_calls, tool_pairs, tool_errors, compactions, next_seq, next_exchange, parent_call_id, agent_name,"
      " description, agent_version, mode, context_tokens, lines_added, lines_removed, cost_usd FROM sessions"
      " ORDER BY uid",
      "SELECT 'event', s.uid, e.seq, e.event_id, e.time, e.kind, e.role, e.origin, e.parent_seq, e.pair_seq, e.tool,"
      " e.call_key, e.input_hash, p.path, e.flags, e.summary, e.tokens, e.raw_offset,"
      " e.raw_length, e.raw_block FROM events e JOIN sessions s USING (session_pk) LEFT JOIN paths p USING (path_pk) "
      "ORDER BY s.uid, e.seq",
      "SELECT 'exchange', s.uid, x.exchange_number, x.first_seq, x.last_seq, x.started_at, x.ended_at, x.origin,"
      " x.is_sidechain, x.data_completeness, x.user_event_id, x.user_message, x.interventions, x.assistant_response,"
      " x.answer_offset, x.tool_text, x.git_branch, x.working_directory, x.model_used, x.tool_calls, x.tool_errors, "
      "x.lines_added, x.lines_removed,"
      " x.content_hash FROM exchanges x JOIN sessions s USING (session_pk) ORDER BY s.uid, x.exchange_number",
      "SELECT 'abandoned', s.uid, a.exchange_number, a.abandoned_for FROM abandoned_exchanges a"
      " JOIN sessions s USING (session_pk) ORDER BY s.uid, a.exchange_number",
      "SELECT 'file', s.uid, f.exchange_number, p.path, f.access, f.touches, f.lines_added, f.lines_removed"
      " FROM exchange_files f JOIN sessions s USING (session_pk) JOIN paths p USING (path_pk)"
      " ORDER BY s.uid, f.exchange_number, p.path, f.access",
      "SELECT 'tool', s.uid, x.exchange_number, t.tool FROM exchange_tools c JOIN exchanges x USING (exchange_pk)"
      " JOIN sessions s USING (session_pk) JOIN tools t USING (tool_pk) ORDER BY s.uid, x.exchange_number, t.tool",
      "SELECT 'response', s.uid, response_key, exchange_number, time, coalesce(m.model, s.model), flags, input, output,"
      " cache_read, cache_creation, cache_creation_1h, reasoning, web_searches, r.cost_usd FROM responses r"
      " JOIN sessions s USING (session_pk) LEFT JOIN models m USING (model_pk) ORDER BY response_key, s.uid",
      "SELECT 'account', s.uid, counted_from, coalesce(m.model, ''), time, input, output, cache_read, cache_creation,"
      " cache_creation_1h, reasoning, web_searches, a.cost_usd FROM session_accounts a JOIN sessions s"
      " USING (session_pk) LEFT JOIN models m USING (model_pk) ORDER BY s.uid, counted_from, m.model",
      "SELECT 'limit', platform, name, used_percent, window_minutes, resets_at, reported_at FROM rate_limits"
      " ORDER BY platform, name",
      "SELECT 'observation', s.uid, o.exchange_number, o.event_seq, o.time, o.type, o.summary, o.content, o.tool,"
      " o.metadata FROM observations o JOIN sessions s USING (session_pk) ORDER BY s.uid, o.event_seq, o.type, "
      "o.content_hash",
      "SELECT 'decision', s.uid, o.event_seq, o.content, d.kind, d.decided_by, d.chosen, d.rejected, d.reason, "
      "r.content"
      " FROM decisions d JOIN observations o USING (observation_pk) JOIN sessions s USING (session_pk)"
      " LEFT JOIN observations r ON r.observation_pk = d.reversed_by ORDER BY s.uid, o.event_seq, o.content_hash",
      "SELECT 'commit', s.uid, c.event_seq, c.sha, c.exchange_number, c.branch, c.subject, c.time FROM commits c"
      " JOIN sessions s USING (session_pk) ORDER BY s.uid, c.event_seq, c.sha",
      "SELECT 'pull request', s.uid, r.event_seq, r.url, r.exchange_number, r.time FROM pull_requests r"
      " JOIN sessions s USING (session_pk) ORDER BY s.uid, r.event_seq, r.url",
      "SELECT 'command', s.uid, c.event_seq, c.place, c.line, c.is_whole, c.directory, c.purpose, c.in_background"
      " FROM commands c JOIN sessions s USING (session_pk) ORDER BY s.uid, c.event_seq, c.place",
      "SELECT 'command result', s.uid, r.event_seq, r.exit_code, r.outcome FROM command_results r"
      " JOIN sessions s USING (session_pk) ORDER BY s.uid, r.event_seq",
      "SELECT 'todo', s.uid, t.event_seq, t.place, t.replaces, t.item_key, t.text, t.state FROM todo_items t"
      " JOIN sessions s USING (session_pk) ORDER BY s.uid, t.event_seq, t.place",
      "SELECT 'item', o.path, i.session_uid, i.item_no, i.item_key, i.version, i.flags, i.record_type, i.disposition,"
      " i.reason, i.bytes FROM source_items i JOIN sources o USING (source_pk) ORDER BY o.path, i.session_uid, "
      "i.item_no",
      "SELECT 'coverage', o.path, c.record_type, c.disposition, c.reason, c.records, c.bytes FROM coverage c"
      " JOIN sources o USING (source_pk) ORDER BY o.path, c.record_type, c.disposition, c.reason",
      "SELECT 'source', path, cursor, size FROM sources ORDER BY path",
  };
  std::vector<std::string> rows;
  for (const char* sql : kQueries) {
    sqlite::Statement q(db.handle(), sql);
    while (q.step()) {
      std::string row;
      const int columns = sqlite3_data_count(q.handle());
      for (int i = 0; i < columns; ++i)
        row += (i > 0 ? "|" : "") + (q.is_null(i) ? std::string("NULL") : q.str(i));
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

// Appends the rows of a query, each column followed by "|".
inline void append_rows(std::vector<std::string>& out, sqlite::Database& db, const std::string& sql) {
  sqlite::Statement q(db.handle(), sql);
  while (q.step()) {
    std::string row;
    for (int i = 0; i < sqlite3_data_count(q.handle()); ++i)
      row += q.str(i) + "|";
    out.push_back(std::move(row));
  }
}

// Throws if the full-text index and the exchanges differ.
inline void check_full_text_index(sqlite::Database& db) {
  db.exec("INSERT INTO exchanges_fts (exchanges_fts, rank) VALUES ('integrity-check', 1)");
}

}  // namespace memd::test
