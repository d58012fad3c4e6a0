#include "store/write/event_rows.hpp"

#include "schemas/base/hash.hpp"
#include "schemas/sql_text.hpp"
#include "store/db/database.hpp"
#include "store/db/rows.hpp"
#include "store/text/path_names.hpp"
#include "store/text/plain_text.hpp"

#include <algorithm>
#include <utility>

namespace memd::assembly {
namespace {

std::optional<std::int64_t> hash_or_null(std::uint64_t h) { return h == 0 ? std::nullopt : std::optional(as_sql(h)); }

constexpr std::size_t kMostHeld = 2'048;
constexpr std::size_t kCachedPaths = 20'000;
// Derived events take their id from the event they come from; adapters number theirs from 0.
constexpr std::uint32_t kDerivedIndexBase = 1u << 16;
constexpr std::int64_t kFarthestDerived = 64;   // likewise, behind the event it is derived from
constexpr std::int64_t kFarthestPlan = 1000;    // maximum distance in sequence numbers behind its call
constexpr std::int64_t kFarthestTwin = 200;     // likewise, behind its parent
constexpr std::int64_t kFarthestAnswer = 4000;  // maximum distance of a second record of a result behind its call

std::optional<std::int64_t> pk_or_null(std::int64_t pk) { return pk == 0 ? std::nullopt : std::optional(pk); }

// Returns the text after a tag that is alone on the first line, such as the "<thinking>" of models that write their
// reasoning into the answer.
std::string_view without_leading_tag(std::string_view text) {
  const auto end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", 1);
  const bool tag = text.starts_with('<') && end != std::string_view::npos && text.substr(end).starts_with(">\n");
  return tag ? text.substr(end + 1) : text;
}

}  // namespace

std::int64_t PathInterner::intern(std::string_view path) {
  if (const auto it = cache_.find(path); it != cache_.end()) return it->second;
  db_.run("INSERT OR IGNORE INTO paths (path) VALUES (?)", path);
  std::int64_t pk = db_.last_insert_rowid();
  if (db_.changes() == 0) pk = db_.query("SELECT path_pk FROM paths WHERE path = ?", path).value_or(0);
  if (cache_.size() >= kCachedPaths) cache_.clear();
  cache_.emplace(path, pk);
  return pk;
}

bool EventRows::insert(EventRecord r) {
  if (identities_.find(r.event_id)) return false;
  const bool follows = !held_.empty() && held_.size() < kMostHeld && r.session_pk == held_.back().session_pk &&
                       r.seq == held_.back().seq + 1;
  if (!follows) write();
  identities_.add(r.event_id, r.session_pk, r.seq);
  held_.push_back(std::move(r));
  return true;
}

void EventRows::write() {
  if (held_.empty()) return;
  sqlite::RowInserter rows(
      db_,
      "events (session_pk, seq, event_id, time, kind, role, origin, parent_seq, pair_seq, tool, call_key, input_hash,"
      " path_pk, flags, summary, tokens, source_pk, raw_offset, raw_length, raw_block)",
      held_.size());
  for (const EventRecord& r : held_) {
    const auto tool = r.tool.empty() ? std::nullopt : std::optional<std::string_view>(r.tool);
    rows.add(r.session_pk, r.seq, as_sql(r.event_id), r.time, static_cast<int>(r.kind), static_cast<int>(r.role),
             static_cast<int>(r.origin), r.parent_seq, r.pair_seq, tool, hash_or_null(r.call_key),
             hash_or_null(r.input_hash), pk_or_null(r.path_pk), r.flags, r.summary, r.tokens, pk_or_null(r.source),
             r.raw.offset, r.raw.length, static_cast<int>(r.raw.block));
  }
  write_facts();
  held_.clear();
}

void EventRows::write_facts() {
  std::size_t commands = 0;
  std::size_t results = 0;
  std::size_t items = 0;
  const auto tells_end = [](const ToolFacts& facts) { return facts.exit_code || facts.outcome; };
  for (const EventRecord& r : held_) {
    commands += r.facts.commands.size();
    results += tells_end(r.facts) ? 1 : 0;
    if (r.facts.todos) items += std::max<std::size_t>(r.facts.todos->items.size(), 1);
  }
  if (commands + results + items == 0) return;
  sqlite::RowInserter command_rows(
      db_, "commands (session_pk, event_seq, place, line, is_whole, directory, purpose, in_background)", commands);
  for (const EventRecord& r : held_)
    for (std::size_t i = 0; i < r.facts.commands.size(); ++i) {
      const ShellCommand& c = r.facts.commands[i];
      command_rows.add(r.session_pk, r.seq, static_cast<std::int64_t>(i), c.line, c.is_whole ? 1 : 0, c.directory,
                       static_cast<int>(c.purpose), c.in_background ? 1 : 0);
    }
  sqlite::RowInserter result_rows(db_, "command_results (session_pk, event_seq, exit_code, outcome)", results);
  for (const EventRecord& r : held_) {
    if (!tells_end(r.facts)) continue;
    const auto code = r.facts.exit_code ? std::optional<std::int64_t>(*r.facts.exit_code) : std::nullopt;
    const auto outcome =
        r.facts.outcome ? std::optional<std::int64_t>(static_cast<std::int64_t>(*r.facts.outcome)) : std::nullopt;
    result_rows.add(r.session_pk, r.seq, code, outcome);
  }
  sqlite::RowInserter item_rows(db_, "todo_items (session_pk, event_seq, place, replaces, item_key, text, state)",
                                items);
  for (const EventRecord& r : held_) {
    if (!r.facts.todos) continue;
    const TodoUpdate& todos = *r.facts.todos;
    if (todos.items.empty()) item_rows.add(r.session_pk, r.seq, 0, todos.replaces ? 1 : 0, "", "", 0);  // emptied
    for (std::size_t i = 0; i < todos.items.size(); ++i) {
      const TodoItem& item = todos.items[i];
      item_rows.add(r.session_pk, r.seq, static_cast<std::int64_t>(i), todos.replaces ? 1 : 0, item.key, item.text,
                    static_cast<int>(item.state));
    }
  }
}

void EventRows::write_for_deletion() {
  write();
  identities_.write();
}

EventRecord* EventRows::held(std::int64_t session_pk, std::int64_t seq) {
  if (held_.empty() || held_.front().session_pk != session_pk) return nullptr;
  if (seq < held_.front().seq || seq > held_.back().seq) return nullptr;
  return &held_[static_cast<std::size_t>(seq - held_.front().seq)];
}

std::optional<std::int64_t> EventRows::session_of(std::uint64_t event_id) {
  const auto place = identities_.find(event_id);
  return place ? std::optional(place->session_pk) : std::nullopt;
}

bool EventRows::opens_exchange(std::uint64_t event_id, std::string_view uid, SourceId source, std::uint32_t item) {
  const auto place = identities_.find(event_id);
  if (!place) return false;
  write();
  return db_
      .query(sql_text("SELECT 1 FROM events e JOIN sessions s USING (session_pk)"
                      " WHERE e.session_pk = ? AND e.seq = ? AND s.uid = ? AND e.source_pk = ?"
                      " AND e.raw_offset = ? AND e.kind = EventKind::user_msg AND e.flags & kFlagStartsExchange"),
             place->session_pk, place->place, uid, source, item)
      .any();
}

std::optional<std::uint64_t> EventRows::original_of(const SessionWork& s, const Event& e, const EventParent& parent) {
  const bool branches = parent.seq ? parent.passed && *parent.seq != s.next_seq - 1 : parent.is_root && s.next_seq > 0;
  if (!branches || e.time == 0 || e.time_estimated) return std::nullopt;
  write();
  auto& q = db_.prepare(sql_text(
      "SELECT event_id FROM events WHERE session_pk = ?1 AND seq > ?2 AND seq <= ?3 AND time = ?4 AND kind = ?5"
      " AND event_id <> ?6 AND summary = ?7 AND tokens = ?8 AND coalesce(input_hash, 0) = ?9"
      " AND coalesce(call_key, 0) = ?10 AND iif(?2 < 0, flags & kFlagRoot, parent_seq = ?2) LIMIT 1"));
  const std::int64_t from = parent.seq.value_or(-1);
  const std::string summary = event_summary(e);
  q.bind(s.pk, from, parent.seq ? from + kFarthestTwin : s.next_seq, e.time, static_cast<int>(e.kind),
         as_sql(e.event_id), summary, text_tokens(e.text), as_sql(content_hash(e)),
         as_sql(e.call_id.empty() ? 0 : hash64(e.call_id)));
  std::optional<std::uint64_t> found;
  if (const auto row = q.row()) found = from_sql(row->int64(0));
  return found;
}

void EventRows::date(std::int64_t session_pk, TimeMs time) {
  write();
  db_.run(
      sql_text("UPDATE events SET time = ?2, flags = flags | kFlagTimeEstimated WHERE session_pk = ?1 AND time = 0"),
      session_pk, time);
}

void EventRows::pair(std::int64_t session_pk, std::int64_t call_seq, std::int64_t result_seq) {
  if (EventRecord* call = held(session_pk, call_seq)) {
    call->pair_seq = result_seq;
    return;
  }
  db_.run("UPDATE events SET pair_seq = ? WHERE session_pk = ? AND seq = ?", result_seq, session_pk, call_seq);
}

// Columns of a call's row for call_of_row().
#define MEMD_CALL_COLUMNS "e.seq, e.tool, e.summary, e.input_hash, e.path_pk, e.flags, p.path, e.call_key"

OpenCall EventRows::call_of_row(std::int64_t session_pk, const sqlite::Statement& row) {
  const auto flags = static_cast<std::uint32_t>(row.int64(5));
  OpenCall call;
  sqlite::read(row, call.seq, call.tool, call.summary, call.input_hash, call.path_pk);
  call.path = row.str(6);
  call.modifies = (flags & kFlagModifies) != 0;
  call.is_test = (flags & kFlagTest) != 0;
  call.is_echo = (flags & kFlagEcho) != 0;
  read_tried(session_pk, call);
  return call;
}

void EventRows::read_tried(std::int64_t session_pk, OpenCall& call) {
  const auto row =
      db_.query(sql_text("SELECT line, purpose, in_background FROM commands WHERE session_pk = ? AND event_seq = ?"
                         " AND purpose <> CommandPurpose::other ORDER BY purpose, place LIMIT 1"),
                session_pk, call.seq)
          .row();
  call.tried = row->str(0);
  call.tries = row ? static_cast<CommandPurpose>(row->int64(1)) : CommandPurpose::other;
  call.in_background = row->int64(2) != 0;
}

std::optional<OpenCall> EventRows::find_open_call(std::int64_t session_pk, std::uint64_t call_key) {
  write();
  auto& q = db_.query(sql_text("SELECT " MEMD_CALL_COLUMNS " FROM events e LEFT JOIN paths p USING (path_pk)"
                               " WHERE e.session_pk = ? AND e.call_key = ? AND e.kind = EventKind::tool_call"
                               " AND e.pair_seq IS NULL ORDER BY e.seq DESC LIMIT 1"),
                      session_pk, as_sql(call_key));
  std::optional<OpenCall> call;
  if (const auto row = q.row()) call = call_of_row(session_pk, q);
  return call;
}

std::vector<EventRows::KeyedCall> EventRows::newest_open_calls(std::int64_t session_pk) {
  write();
  return db_
      .query(sql_text("SELECT " MEMD_CALL_COLUMNS
                      " FROM events e INDEXED BY events_open_calls LEFT JOIN paths p USING (path_pk)"
                      " WHERE e.session_pk = ? AND e.kind = EventKind::tool_call AND e.pair_seq IS NULL"
                      " ORDER BY e.seq DESC LIMIT 8"),
             session_pk)
      .all([&](const auto& q) {
        return KeyedCall{from_sql(q.int64(7)), call_of_row(session_pk, q)};
      });
}

std::optional<EventRows::AnsweredCall> EventRows::find_answered_call(std::int64_t session_pk, std::uint64_t call_key,
                                                                     std::int64_t next_seq) {
  write();
  auto& q = db_.query(
      sql_text("SELECT " MEMD_CALL_COLUMNS ", r.flags & kFlagEcho, r.flags & kFlagError, c.exit_code FROM events e"
               " JOIN events r ON r.session_pk = e.session_pk AND r.seq = e.pair_seq"
               " LEFT JOIN command_results c ON c.session_pk = r.session_pk AND c.event_seq = r.seq"
               " LEFT JOIN paths p ON p.path_pk = e.path_pk"
               " WHERE e.session_pk = ? AND e.seq >= ? AND e.call_key = ?"
               " AND e.kind = EventKind::tool_call ORDER BY e.seq DESC LIMIT 1"),
      session_pk, next_seq - kFarthestAnswer, as_sql(call_key));
  std::optional<AnsweredCall> found;
  if (const auto row = q.row()) {
    found = AnsweredCall{call_of_row(session_pk, q), row->int64(8) != 0, row->int64(9) != 0 || !row->is_null(10)};
    found->call.answered = true;
  }
  return found;
}

#undef MEMD_CALL_COLUMNS

bool EventRows::take_command(std::int64_t session_pk, std::string_view line, OpenCall& call) {
  if (EventRecord* row = held(session_pk, call.seq)) {
    auto& commands = row->facts.commands;
    const auto it = std::find_if(commands.begin(), commands.end(), [&](const auto& c) { return c.line == line; });
    if (it == commands.end()) return false;
    commands.erase(it);
    note_tried(call, tried_by(commands));
    call.is_test = call.tries == CommandPurpose::test;
    if (!call.is_test) row->flags &= ~static_cast<std::uint32_t>(kFlagTest);
    return true;
  }
  const std::optional<std::int64_t> place =
      db_.query(
             "DELETE FROM commands WHERE session_pk = ?1 AND event_seq = ?2 AND place ="
             " (SELECT min(place) FROM commands WHERE session_pk = ?1 AND event_seq = ?2 AND line = ?3) RETURNING "
             "place",
             session_pk, call.seq, line)
          .number();
  if (!place) return false;
  db_.run("UPDATE commands SET place = place - 1 WHERE session_pk = ? AND event_seq = ? AND place > ?", session_pk,
          call.seq, *place);
  db_.run(sql_text("UPDATE events SET flags = flags & ~kFlagTest WHERE session_pk = ?1 AND seq = ?2 AND NOT EXISTS"
                   " (SELECT 1 FROM commands WHERE session_pk = ?1 AND event_seq = ?2"
                   " AND purpose = CommandPurpose::test)"),
          session_pk, call.seq);
  read_tried(session_pk, call);
  call.is_test = call.tries == CommandPurpose::test;
  return true;
}

void EventRows::take_over(std::int64_t session_pk, std::int64_t seq, const Event& e) {
  identities_.add(e.event_id, session_pk, seq);
  if (EventRecord* row = held(session_pk, seq)) {
    row->event_id = e.event_id;
    row->time = e.time;
    row->flags = flags_of(e) | (row->flags & kFlagRoot);
    row->summary = event_summary(e);
    row->tokens = text_tokens(e.text);
    row->raw = e.raw;
    return;
  }
  db_.run(
      sql_text("UPDATE events SET event_id = ?3, time = ?4, flags = ?5 | (flags & kFlagRoot), summary = ?6,"
               " tokens = ?7, raw_offset = ?8, raw_length = ?9, raw_block = ?10 WHERE session_pk = ?1 AND seq = ?2"),
      session_pk, seq, as_sql(e.event_id), e.time, static_cast<std::int64_t>(flags_of(e)), event_summary(e),
      text_tokens(e.text), static_cast<std::int64_t>(e.raw.offset), static_cast<std::int64_t>(e.raw.length),
      static_cast<std::int64_t>(e.raw.block));
}

void EventRows::add_identity(std::int64_t session_pk, std::int64_t seq, std::uint64_t event_id) {
  if (!identities_.find(event_id)) identities_.add(event_id, session_pk, seq);
}

void EventRows::set_content(std::int64_t session_pk, std::int64_t seq, const Event& e) {
  const std::uint64_t content = content_hash(e);
  if (EventRecord* row = held(session_pk, seq)) {
    row->input_hash = content;
    return;
  }
  db_.run("UPDATE events SET input_hash = ? WHERE session_pk = ? AND seq = ?", hash_or_null(content), session_pk, seq);
}

std::optional<std::int64_t> EventRows::withdraw_answer(std::int64_t session_pk, std::int64_t first_seq) {
  write();
  auto& q = db_.query(sql_text("SELECT seq, tokens FROM events WHERE session_pk = ? AND seq >= ?"
                               " AND kind = EventKind::assistant_msg AND NOT flags & kFlagSuperseded"
                               " ORDER BY seq DESC LIMIT 2"),
                      session_pk, first_seq);
  std::optional<std::int64_t> newest;
  std::optional<std::int64_t> before;
  if (q.step()) newest = q.int64(0);
  if (const auto row = q.row()) before = row->int64(1);
  if (newest)
    db_.run(sql_text("UPDATE events SET flags = flags | kFlagSuperseded WHERE session_pk = ? AND seq = ?"), session_pk,
            *newest);
  return before;
}

// Rows derived from a call follow it directly.
std::vector<EventRecord*> EventRows::held_plans(const EventRecord& call) {
  std::vector<EventRecord*> plans;
  for (auto* row = held(call.session_pk, call.seq + 1); row != nullptr && row->parent_seq == call.seq;
       row = held(row->session_pk, row->seq + 1))
    if (row->kind == EventKind::edit && (row->flags & kFlagPlanned) != 0) plans.push_back(row);
  return plans;
}

bool EventRows::has_planned_edits(std::int64_t session_pk, std::int64_t call_seq) {
  if (const EventRecord* call = held(session_pk, call_seq)) return !held_plans(*call).empty();
  write();
  auto& q = db_.query(sql_text("SELECT parent_seq IS ?2, kind = EventKind::edit AND flags & kFlagPlanned FROM events"
                               " WHERE session_pk = ?1 AND seq > ?2 ORDER BY seq"),
                      session_pk, call_seq);
  bool found = false;
  while (!found && q.step() && q.int64(0) != 0)
    found = q.int64(1) != 0;
  q.reset();
  return found;
}

std::vector<EventRows::PlannedEdit> EventRows::take_planned_edits(std::int64_t session_pk, std::int64_t call_seq) {
  std::vector<PlannedEdit> planned;
  const auto take = [&](std::int64_t path_pk, std::string_view summary) {
    const LineCounts counts = counts_of_edit(summary);
    planned.push_back({path_pk, counts.added, counts.removed});
  };
  if (const EventRecord* call = held(session_pk, call_seq)) {
    for (EventRecord* plan : held_plans(*call)) {
      plan->flags &= ~static_cast<std::uint32_t>(kFlagPlanned);
      take(plan->path_pk, plan->summary);
    }
    return planned;
  }
  if (!has_planned_edits(session_pk, call_seq)) return planned;
  auto& q = db_.query(
      sql_text("UPDATE events SET flags = flags & ~kFlagPlanned WHERE session_pk = ?1 AND seq > ?2 AND seq <= ?3"
               " AND kind = EventKind::edit AND parent_seq = ?2 AND flags & kFlagPlanned RETURNING path_pk, summary"),
      session_pk, call_seq, call_seq + kFarthestPlan);
  while (q.step())
    take(q.int64(0), q.text(1));
  return planned;
}

void EventRows::count_planned_edit(std::int64_t session_pk, std::int64_t call_seq, std::int64_t path_pk,
                                   const FileTouch& file) {
  const auto counted = [&](std::string_view summary) {
    constexpr std::string_view kDeleted = " (deleted)";
    const bool lacks = summary.ends_with(kDeleted) && counts_of_edit(summary).removed == 0;
    if (!lacks) return std::string(summary);
    summary.remove_suffix(kDeleted.size());
    return deletion_summary(summary, file.lines_removed);
  };
  if (const EventRecord* call = held(session_pk, call_seq)) {
    for (EventRecord* plan : held_plans(*call))
      if (plan->path_pk == path_pk) plan->summary = counted(plan->summary);
    return;
  }
  write();
  const auto found =
      db_.query(sql_text("SELECT seq, summary FROM events WHERE session_pk = ?1 AND seq > ?2 AND seq <= ?3"
                         " AND kind = EventKind::edit AND parent_seq = ?2 AND path_pk = ?4 LIMIT 1"),
                session_pk, call_seq, call_seq + kFarthestPlan, path_pk)
          .row();
  const std::int64_t seq = found->int64(0);
  const std::string summary = found ? counted(found->text(1)) : std::string();
  if (found) db_.run("UPDATE events SET summary = ? WHERE session_pk = ? AND seq = ?", summary, session_pk, seq);
}

void EventRows::fail_planned_edits(std::int64_t session_pk, std::int64_t call_seq) {
  if (const EventRecord* call = held(session_pk, call_seq)) {
    for (EventRecord* plan : held_plans(*call))
      plan->flags |= kFlagError;
    return;
  }
  if (!has_planned_edits(session_pk, call_seq)) return;
  db_.run(sql_text("UPDATE events SET flags = flags | kFlagError WHERE session_pk = ?1 AND seq > ?2 AND seq <= ?3"
                   " AND kind = EventKind::edit AND parent_seq = ?2 AND flags & kFlagPlanned"),
          session_pk, call_seq, call_seq + kFarthestPlan);
}

void EventRows::mark_gone(SourceId source, std::string_view session_uid) {
  write();
  db_.run(sql_text("UPDATE events SET flags = flags | kFlagGone WHERE source_pk = ?1 AND flags & kFlagGone = 0"
                   " AND session_pk IN (SELECT session_pk FROM sessions WHERE source_pk = ?1 OR uid = ?2)"),
          source, session_uid);
}

void EventRows::came_again(const Event& e, SourceId source) {
  const auto place = identities_.find(e.event_id);
  if (!place || held(place->session_pk, place->place) != nullptr) return;
  // Rows derived from an event follow it and have its place. An echo that leads to the row of the record that it
  // repeats is not at its place.
  db_.run(sql_text("UPDATE events SET flags = flags & ~kFlagGone, raw_offset = ?4, raw_length = ?5"
                   " WHERE session_pk = ?1 AND seq BETWEEN ?2 AND ?2 + ?6 AND source_pk = ?3 AND flags & kFlagGone"
                   " AND (seq = ?2 OR (flags & kFlagDerived AND raw_offset ="
                   " (SELECT raw_offset FROM events WHERE session_pk = ?1 AND seq = ?2)))"
                   " AND EXISTS (SELECT 1 FROM events WHERE session_pk = ?1 AND seq = ?2 AND event_id = ?7"
                   " AND (flags & kFlagEcho OR NOT ?8))"),
          place->session_pk, place->place, source, e.raw.offset, e.raw.length, kFarthestDerived, as_sql(e.event_id),
          e.is_echo);
}

void EventRows::supersede_queued(std::int64_t session_pk, std::int64_t first_seq, std::uint64_t text_hash) {
  write();
  db_.run(sql_text("UPDATE events SET flags = flags | kFlagSuperseded WHERE session_pk = ? AND seq >= ?"
                   " AND origin = Origin::queued AND input_hash = ?"),
          session_pk, first_seq, as_sql(text_hash));
}

std::string usage_line(const TokenUsage& u) {
  return "usage: " + std::to_string(u.input) + " in, " + std::to_string(u.output) + " out, " +
         std::to_string(u.cache_read) + " cached, " + std::to_string(u.cache_creation) + " written";
}

const ShellCommand* tried_by(const std::vector<ShellCommand>& commands) {
  for (const CommandPurpose purpose : {CommandPurpose::test, CommandPurpose::build})
    for (const ShellCommand& command : commands)
      if (command.purpose == purpose) return &command;
  return nullptr;
}

void note_tried(OpenCall& call, const ShellCommand* tried) {
  call.tried = tried != nullptr ? tried->line : std::string();
  call.tries = tried != nullptr ? tried->purpose : CommandPurpose::other;
  call.in_background = tried != nullptr && tried->in_background;
}

std::uint64_t content_hash(const Event& e) {
  const bool words = e.kind == EventKind::user_msg || e.kind == EventKind::human_intervention;
  return words ? hash64(e.text) : e.input_hash;
}

std::string event_summary(const Event& e) {
  if (e.lifecycle == "usage" && !e.is_echo) return usage_line(e.usage);
  if (e.kind == EventKind::lifecycle)
    return e.summary.empty() ? e.lifecycle : e.lifecycle + ": " + first_line(e.summary, kEventSummaryBytes);
  if (e.kind == EventKind::thinking) return {};  // read from the raw record on request
  if (e.kind == EventKind::user_msg && !e.summary.empty()) return first_line(e.summary, kAttachmentsBytes);
  const std::string_view text = e.summary.empty() ? e.text : e.summary;
  return first_line(e.kind == EventKind::assistant_msg ? without_leading_tag(text) : text, kEventSummaryBytes);
}

std::int64_t text_tokens(std::string_view text) { return static_cast<std::int64_t>((text.size() + 3) / 4); }

std::uint32_t flags_of(const Event& e) {
  std::uint32_t flags = 0;
  if (e.is_error) flags |= kFlagError;
  if (e.is_sidechain) flags |= kFlagSidechain;
  if (e.is_test) flags |= kFlagTest;
  if (e.starts_exchange) flags |= kFlagStartsExchange;
  if (e.time_estimated) flags |= kFlagTimeEstimated;
  if (e.is_echo) flags |= kFlagEcho;
  if (!e.files.empty() && e.files.front().access == FileAccess::modified) flags |= kFlagModifies;
  return flags;
}

bool SessionEvents::append(SessionWork& s, const Event& e, std::optional<std::int64_t> pair_seq,
                           const EventParent& parent, AssemblyContext& context) {
  EventRecord row;
  static_cast<EventHead&>(row) = e;
  row.parent_seq = parent.seq;
  row.pair_seq = pair_seq;
  row.session_pk = s.pk;
  row.seq = s.next_seq;
  row.time = e.time;
  row.call_key = e.call_id.empty() ? 0 : hash64(e.call_id);
  row.input_hash = content_hash(e);
  row.path_pk = e.files.empty() ? 0 : paths_.intern(e.files.front().path);
  row.flags = flags_of(e) | (parent.is_root ? kFlagRoot : 0u);
  row.summary = event_summary(e);
  row.tokens = text_tokens(e.text);
  row.source = context.source.id;
  row.facts = e.facts;
  if (!rows_.insert(std::move(row))) {
    ++context.stats.duplicates;
    if (context.is_read_again) rows_.came_again(e, context.source.id);
    return false;
  }
  ++s.next_seq;
  ++context.stats.events;
  s.dirty = true;
  return true;
}

void SessionEvents::derive(SessionWork& s, const Event& from, std::int64_t parent_seq, const Derived& derived,
                           AssemblyContext& context) {
  EventRecord row;
  row.session_pk = s.pk;
  row.seq = s.next_seq;
  row.event_id = event_key(from.event_id, kDerivedIndexBase + static_cast<std::uint32_t>(s.next_seq - parent_seq));
  row.time = from.time;
  row.kind = derived.kind;
  row.role = from.role;
  row.parent_seq = parent_seq;
  row.tool = from.tool;
  row.flags = derived.flags | kFlagDerived | (from.is_sidechain ? kFlagSidechain : 0u);
  row.summary = derived.kind == EventKind::lifecycle ? std::string(derived.summary)
                                                     : first_line(derived.summary, kEventSummaryBytes);
  row.path_pk = derived.path_pk;
  row.source = context.source.id;
  row.raw = from.raw;
  const std::int64_t seq = row.seq;
  if (!rows_.insert(std::move(row))) return;
  ++s.next_seq;
  ++context.stats.events;
  if (s.has_draft) s.draft.last_seq = seq;
}

}  // namespace memd::assembly
