#include "store/enrich/session_analysis.hpp"

#include "schemas/base/utf8.hpp"
#include "schemas/sql_text.hpp"
#include "store/insight/outcome.hpp"
#include "store/insight/summary/extractive.hpp"
#include "store/insight/summary/gist.hpp"
#include "store/read/exchanges.hpp"
#include "store/read/session_contents.hpp"
#include "store/read/session_end.hpp"
#include "store/read/session_rows.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <unordered_set>
#include <vector>

namespace memd {
namespace {

constexpr std::size_t kAbstractTokens = 200;
constexpr std::size_t kReadOfDigestText = 8 * 1024;  // bytes read of one message; the rest is a paste or a listing
constexpr std::size_t kSnippetBytes = 300;
constexpr int kErrorsLookedAt = 200;

std::string_view beginning(std::string_view text) { return utf8_prefix(text, kReadOfDigestText); }

std::string abstract_of(const std::vector<ExchangeRow>& exchanges) {
  std::vector<SummaryInput> inputs;
  inputs.reserve(exchanges.size());
  std::size_t counted = 0;
  for (const ExchangeRow& row : exchanges) {
    SummaryInput in;
    in.user_message = beginning(row.user_message);
    in.interventions = beginning(row.interventions);
    in.assistant_response = beginning(row.final_answer());
    in.tool_calls = row.tool_calls;
    in.tool_errors = row.tool_errors;
    in.started_at = row.started_at;
    in.ended_at = row.ended_at;
    // An abstract is limited by the size of its source. Above that limit the exact size does not matter, so counting
    // stops.
    in.tokens = counted < kAbstractTokens ? source_tokens(in) : 1;
    counted += in.tokens;
    inputs.push_back(std::move(in));
  }
  return Extract(inputs).summary(1.0, kAbstractTokens).text;
}

std::vector<ErrorSnippet> last_errors(sqlite::Database& db, std::int64_t session_pk) {
  // A result takes its tool from its call. Errors derived from a result would repeat it and are skipped.
  auto& q =
      db.query(sql_text("SELECT e.time, coalesce(e.tool, c.tool, ''), e.summary FROM events e"
                        " LEFT JOIN events c ON c.session_pk = e.session_pk AND c.seq = e.pair_seq"
                        " WHERE e.session_pk = ?1 AND e.summary <> '' AND e.flags & kFlagDerived = 0"
                        " AND (e.kind = EventKind::error OR e.kind = EventKind::tool_result AND e.flags & kFlagError)"
                        " ORDER BY e.seq DESC LIMIT ?2"),
               session_pk, kErrorsLookedAt);
  std::vector<ErrorSnippet> out;
  std::unordered_set<std::string> seen;
  while (out.size() < kMostErrorSnippets && q.step()) {
    ErrorSnippet e{q.int64(0), q.str(1), std::string(utf8_prefix(q.text(2), kSnippetBytes))};
    if (seen.insert(e.text).second) out.push_back(std::move(e));
  }
  q.reset();
  std::reverse(out.begin(), out.end());
  return out;
}

std::vector<std::int64_t> analyzed_keys(sqlite::Statement& q) { return q.all(sqlite::first_number); }

void add_kept(const KeptDigest& kept, KeptDigest& now) {
  if (!kept.request.empty()) now.request = kept.request;
  now.wall_clock = std::max(now.wall_clock, kept.wall_clock);
  auto errors = kept.errors;
  for (ErrorSnippet& e : now.errors)
    if (std::ranges::find(errors, e.text, &ErrorSnippet::text) == errors.end()) errors.push_back(std::move(e));
  if (errors.size() > kMostErrorSnippets)
    errors.erase(errors.begin(), errors.end() - static_cast<std::ptrdiff_t>(kMostErrorSnippets));
  now.errors = std::move(errors);
}

}  // namespace

AnalysisBacklog AnalysisBacklogQuery::run(sqlite::Database& db) const {
  static const std::string sql = "SELECT s.session_pk, s.next_seq, s.ingested_at, s.stopped_at, " +
                                 std::string(queries::kSilentSince) +
                                 " AS silent_since FROM sessions s WHERE s.analysis_version < ?1"
                                 " AND (s.next_seq > 0 OR s.analysis_version = 0)"
                                 " AND (s.evicted_at IS NULL OR s.evicted_at < s.ingested_at)"
                                 " ORDER BY iif(s.stopped_at <> 0, 0, silent_since)";
  auto& q = db.query(sql, analysis::kVersion);
  AnalysisBacklog out;
  while (!out.next && out.due.size() < static_cast<std::size_t>(std::max(limit, 0)) && q.step()) {
    const SessionLife life{.silent_since = q.int64(4), .stopped_at = q.int64(3)};
    const bool has_no_time = life.silent_since == 0 && life.stopped_at == 0;  // a placeholder; nothing to wait for
    if (has_no_time || life.ended_at(now, stopped_after) != 0)
      out.due.push_back({q.int64(0), q.int64(1), q.int64(2)});
    else
      out.next = life.silent_since + stopped_after;
  }
  q.reset();
  return out;
}

std::optional<KeptDigest> MakeDigestQuery::run(sqlite::Database& db) const {
  const auto exchanges = queries::exchange_texts(db, session_pk, 0, std::numeric_limits<std::int64_t>::max());
  if (exchanges.empty()) return std::nullopt;
  auto kept = KeptDigestQuery{session_pk}.run(db);
  if (kept && exchanges.back().is_evicted()) return kept;  // made from the full texts
  KeptDigest out;
  out.wall_clock = queries::work_time(db, session_pk).value_or(0);
  const auto source = queries::source_of_session(db, session_pk);
  out.source_path = source.path;
  out.source_bytes = source.bytes;
  for (auto row = exchanges.begin(); row != exchanges.end() && out.request.empty(); ++row)
    out.request = request_gist(beginning(row->user_message));
  for (auto row = exchanges.rbegin(); row != exchanges.rend() && out.result.empty(); ++row)
    out.result = result_gist(beginning(row->final_answer()));
  out.abstract = abstract_of(exchanges);
  out.errors = last_errors(db, session_pk);
  // Content that was evicted earlier is only in the digest.
  if (kept && (exchanges.front().number > 0 || exchanges.front().is_evicted())) add_kept(*kept, out);
  return out;
}

namespace analysis {

void save_digest(sqlite::Database& db, std::int64_t session_pk, const KeptDigest& digest) {
  db.run("DELETE FROM session_digests WHERE session_pk = ?", session_pk);
  db.run(
      "INSERT INTO session_digests (session_pk, request, result, abstract, wall_clock_ms, source_path,"
      " source_bytes) VALUES (?, ?, ?, ?, ?, ?, ?)",
      session_pk, digest.request, digest.result, digest.abstract, digest.wall_clock, digest.source_path,
      digest.source_bytes);
  std::int64_t place = 0;
  for (const ErrorSnippet& e : digest.errors)
    db.run("INSERT INTO digest_errors (session_pk, place, time, tool, text) VALUES (?, ?, ?, ?, ?)", session_pk,
           place++, e.time, e.tool, e.text);
}

bool mark_analyzed(sqlite::Database& db, const SessionVersion& version, TimeMs now) {
  db.run(
      "UPDATE sessions SET analyzed_at = ?4, analysis_version = ?5"
      " WHERE session_pk = ?1 AND next_seq = ?2 AND ingested_at = ?3",
      version.session_pk, version.next_seq, version.ingested_at, now, kVersion);
  return db.changes() == 1;
}

void store_outcome(sqlite::Database& db, std::int64_t session_pk) {
  const SessionEnd end = SessionEndQuery{session_pk}.run(db);
  const JudgedOutcome judged = judge_outcome(end);
  const bool has_rows = end.last != SessionEnd::Last::nothing;
  db.run("UPDATE sessions SET outcome = ?2, outcome_signs = ?3 WHERE session_pk = ?1 AND (?4 OR evicted_at IS NULL)",
         session_pk, static_cast<int>(judged.value), judged.signs().bits(), has_rows);
}

void store_outcomes_of_subagents(sqlite::Database& db, std::int64_t parent_pk) {
  auto& q = db.query(
      "SELECT c.session_pk FROM sessions c JOIN sessions p ON p.uid = c.parent_uid WHERE p.session_pk = ?1"
      " AND c.parent_uid <> '' AND c.parent_call_id <> '' AND c.outcome_signs & ?2",
      parent_pk, OutcomeSignSet(OutcomeSign::broken_off).bits());
  for (const std::int64_t pk : analyzed_keys(q))
    store_outcome(db, pk);
}

}  // namespace analysis
}  // namespace memd
