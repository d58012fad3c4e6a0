#include "store/write/exchange_rows.hpp"

#include "schemas/base/hash.hpp"
#include "schemas/sql_text.hpp"
#include "store/db/rows.hpp"
#include "store/enrich/enrichment.hpp"

#include <utility>

namespace memd::assembly {
namespace {

using OptionalText = std::optional<std::string_view>;

constexpr std::size_t kMostUnindexed = 4 << 20;

std::size_t bytes_of(const ExchangeText& t) {
  return t.user_message.size() + t.interventions.size() + t.assistant_response.size() + t.tool_text.size();
}

OptionalText text_or_null(const std::string& s) { return s.empty() ? std::nullopt : OptionalText(s); }

}  // namespace

void ExchangeRows::keep_ids_in_use() {
  if (next_id_ != 0) return;
  // Reserved keys have their rows from the start.
  auto& q = db_.query("SELECT exchange_pk FROM exchanges ORDER BY exchange_pk DESC");
  ExchangeId last = 0;
  while (last == 0 && q.step())
    if (!reserved_.contains(q.int64(0))) last = q.int64(0);
  q.reset();
  next_id_ = last + 1;
}

ExchangeId ExchangeRows::next_id() {
  keep_ids_in_use();
  while (reserved_.contains(next_id_))
    ++next_id_;
  return next_id_++;
}

void ExchangeRows::remove_from(std::int64_t session_pk, std::int64_t first) {
  write_index();
  forget_texts(db_, "session_pk = ?1 AND exchange_number >= ?2", session_pk, first);
  for (const std::string_view table : {"exchange_files", "exchanges"})
    db_.run("DELETE FROM " + std::string(table) + " WHERE session_pk = ? AND exchange_number >= ?", session_pk, first);
}

void ExchangeRows::save(const SessionWork& session, ExchangeDraft& d, TimeMs ingested_at) {
  const bool both = d.has_user_message && !d.text.assistant_response.empty();
  const auto completeness = both ? DataCompleteness::full : DataCompleteness::partial;
  const auto content_hash = hash_combine(
      hash64(d.text.user_message), hash64(std::string_view(d.text.assistant_response)
                                              .substr(std::min(d.answer_offset, d.text.assistant_response.size()))));
  const OptionalText user = d.has_user_message ? OptionalText(d.text.user_message) : std::nullopt;
  const auto user_event = d.user_event_id == 0 ? std::nullopt : std::optional(as_sql(d.user_event_id));
  auto& upsert = db_.prepare(
      "INSERT INTO exchanges (exchange_pk, session_pk, exchange_number, first_seq, last_seq, started_at, ended_at,"
      " origin, is_sidechain, data_completeness, user_event_id, user_message, interventions, assistant_response,"
      " answer_offset, tool_text, git_branch, working_directory, model_used, tool_calls, tool_errors, lines_added, "
      "lines_removed, content_hash,"
      " raw_format_version, adapter_version, ingested_at)"
      " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
      " ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
      " ON CONFLICT (exchange_pk) DO UPDATE SET last_seq = excluded.last_seq, ended_at = excluded.ended_at,"
      " started_at = excluded.started_at, origin = excluded.origin, is_sidechain = excluded.is_sidechain,"
      " data_completeness = excluded.data_completeness, user_event_id = excluded.user_event_id,"
      " user_message = excluded.user_message, interventions = excluded.interventions,"
      " assistant_response = excluded.assistant_response, answer_offset = excluded.answer_offset,"
      " tool_text = excluded.tool_text, git_branch = excluded.git_branch,"
      " working_directory = excluded.working_directory, model_used = excluded.model_used,"
      " tool_calls = excluded.tool_calls, tool_errors = excluded.tool_errors, lines_added = excluded.lines_added,"
      " lines_removed = excluded.lines_removed, content_hash = excluded.content_hash,"
      " raw_format_version = excluded.raw_format_version, adapter_version = excluded.adapter_version,"
      " ingested_at = excluded.ingested_at");
  upsert
      .bind(d.pk, session.pk, d.number, d.first_seq, d.last_seq, d.started_at, d.ended_at, static_cast<int>(d.origin),
            session.kind != SessionKind::main, static_cast<int>(completeness), user_event, user,
            text_or_null(d.text.interventions), text_or_null(d.text.assistant_response),
            static_cast<std::int64_t>(d.answer_offset), text_or_null(d.text.tool_text), d.git_branch, d.cwd, d.model,
            d.tool_calls, d.tool_errors, d.lines_added, d.lines_removed, as_sql(content_hash), d.agent_version,
            d.adapter_version, ingested_at)
      .run();
  index_text(d);
  save_files(session.pk, d);
  save_tools(d);
  d.stored = true;
  d.dirty = false;
}

void ExchangeRows::index_text(ExchangeDraft& d) {
  if (d.stored && d.indexed == d.text) return;
  const auto [it, first] = unindexed_.try_emplace(d.pk);
  IndexChange& change = it->second;
  if (first && d.stored) change.before = std::move(d.indexed);
  change.after = d.text;
  d.indexed = d.text;
  unindexed_bytes_ += bytes_of(d.text);
  if (unindexed_bytes_ > kMostUnindexed) write_index();
}

void ExchangeRows::write_index() {
  // External content: FTS5 can only delete an entry when given its exact old text.
  auto& forget = db_.prepare(
      "INSERT INTO exchanges_fts (exchanges_fts, rowid, user_message, interventions, assistant_response, tool_text)"
      " VALUES ('delete', ?, ?, ?, ?, ?)");
  for (const auto& [pk, change] : unindexed_)
    if (const auto& t = change.before)
      forget.bind(pk, t->user_message, t->interventions, t->assistant_response, t->tool_text).run();
  auto& add = db_.prepare(
      "INSERT INTO exchanges_fts (rowid, user_message, interventions, assistant_response, tool_text)"
      " VALUES (?, ?, ?, ?, ?)");
  for (const auto& [pk, change] : unindexed_) {
    const ExchangeText& t = change.after;
    add.bind(pk, t.user_message, t.interventions, t.assistant_response, t.tool_text).run();
    enrichment::enqueue(db_, pk);
  }
  unindexed_.clear();
  unindexed_bytes_ = 0;
}

void ExchangeRows::save_files(std::int64_t session_pk, const ExchangeDraft& d) {
  auto& upsert = db_.prepare(
      "INSERT INTO exchange_files (session_pk, exchange_number, path_pk, access, touches, lines_added, lines_removed)"
      " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET touches = excluded.touches,"
      " lines_added = excluded.lines_added, lines_removed = excluded.lines_removed");
  for (const auto& [key, totals] : d.files)
    upsert
        .bind(session_pk, d.number, key.first, static_cast<int>(key.second), totals.touches, totals.lines_added,
              totals.lines_removed)
        .run();
}

std::int64_t ExchangeRows::intern_tool(const std::string& tool) {
  if (const auto it = tools_.find(tool); it != tools_.end()) return it->second;
  db_.run("INSERT INTO tools (tool) VALUES (?) ON CONFLICT DO NOTHING", tool);
  const std::int64_t pk = db_.query("SELECT tool_pk FROM tools WHERE tool = ?", tool).value_or(0);
  tools_.emplace(tool, pk);
  return pk;
}

void ExchangeRows::save_tools(ExchangeDraft& d) {
  auto& insert = db_.prepare("INSERT INTO exchange_tools (exchange_pk, tool_pk) VALUES (?, ?) ON CONFLICT DO NOTHING");
  for (const std::string& tool : d.tools)
    insert.bind(d.pk, intern_tool(tool)).run();
  d.tools.clear();
}

void ExchangeRows::forget() {
  next_id_ = 0;
  tools_.clear();
  unindexed_.clear();
  unindexed_bytes_ = 0;
}

bool ExchangeRows::load_newest(std::int64_t session_pk, std::int64_t end, ExchangeDraft& d) {
  auto& q = db_.prepare(
      "SELECT exchange_pk, exchange_number, first_seq, last_seq, started_at, ended_at, origin, user_event_id,"
      " user_message, interventions, assistant_response, tool_text, answer_offset, git_branch, working_directory,"
      " model_used, raw_format_version, adapter_version, tool_calls, tool_errors, lines_added, lines_removed, "
      "data_completeness FROM exchanges"
      " WHERE session_pk = ? AND exchange_number < ? ORDER BY exchange_number DESC LIMIT 1");
  const auto row = q.bind(session_pk, end).row();
  if (!row || static_cast<DataCompleteness>(q.int64(22)) == DataCompleteness::metadata_only) return false;
  d = {};
  sqlite::read(q, d.pk, d.number, d.first_seq, d.last_seq, d.started_at, d.ended_at, d.origin, d.user_event_id);
  d.has_user_message = !q.is_null(8);
  sqlite::read_from(q, 8, d.text, d.answer_offset, d.git_branch, d.cwd, d.model, d.agent_version, d.adapter_version,
                    d.tool_calls, d.tool_errors, d.lines_added, d.lines_removed);
  d.indexed = d.text;
  d.stored = true;
  remember_tool_lines(d);
  load_files(session_pk, d);
  replay_failures(session_pk, d);
  return true;
}

void ExchangeRows::load_files(std::int64_t session_pk, ExchangeDraft& d) {
  auto& q = db_.query(
      "SELECT path_pk, access, touches, lines_added, lines_removed FROM exchange_files"
      " WHERE session_pk = ? AND exchange_number = ?",
      session_pk, d.number);
  while (q.step())
    d.files[{q.int64(0), static_cast<FileAccess>(q.int64(1))}] = {q.int64(2), q.int64(3), q.int64(4)};
}

void ExchangeRows::replay_failures(std::int64_t session_pk, ExchangeDraft& d) {
  auto& q = db_.query(sql_text("SELECT c.input_hash FROM events e JOIN events c ON c.session_pk = e.session_pk"
                               " AND c.seq = e.pair_seq WHERE e.session_pk = ? AND e.seq BETWEEN ? AND ?"
                               " AND e.kind = EventKind::tool_result AND e.flags & kFlagError"
                               " AND c.input_hash IS NOT NULL"),
                      session_pk, d.first_seq, d.last_seq);
  while (q.step())
    d.failed_inputs.insert(from_sql(q.int64(0)));
}

}  // namespace memd::assembly
