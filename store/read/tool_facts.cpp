#include "store/read/tool_facts.hpp"

#include "schemas/sql_text.hpp"

#include <utility>

namespace memd {
namespace {

ShellCommand command_at(const sqlite::Statement& q, int column) {
  return {q.str(column), q.str(column + 1), static_cast<CommandPurpose>(q.int64(column + 2)), q.int64(column + 3) != 0,
          q.int64(column + 4) != 0};
}

// Appends the item of an event's next row. A single row without key and text means that the list was emptied.
void add_item_at(sqlite::Statement& q, int column, TodoUpdate& update) {
  TodoItem item{q.str(column), q.str(column + 1), static_cast<TodoState>(q.int64(column + 2))};
  if (!item.key.empty() || !item.text.empty()) update.items.push_back(std::move(item));
}

std::optional<std::int32_t> exit_code_at(const sqlite::Statement& q, int column) {
  return q.is_null(column) ? std::nullopt : std::optional(static_cast<std::int32_t>(q.int64(column)));
}

}  // namespace

std::vector<continuity::Todo> TodoListQuery::run(sqlite::Database& db) const {
  std::vector<continuity::Todo> list;
  auto& q = db.query(
      sql_text("SELECT t.event_seq, t.replaces, t.item_key, t.text, t.state"
               " FROM todo_items t JOIN events e ON e.session_pk = t.session_pk AND e.seq = t.event_seq"
               " WHERE t.session_pk = ?1 AND t.event_seq < ?2 AND e.flags & kFlagSidechain = 0"
               " AND t.event_seq >= coalesce((SELECT max(w.event_seq) FROM todo_items w JOIN events v"
               "  ON v.session_pk = w.session_pk AND v.seq = w.event_seq WHERE w.session_pk = ?1 AND w.event_seq < ?2"
               "  AND w.replaces AND v.flags & kFlagSidechain = 0), 0)"
               " ORDER BY t.event_seq, t.place"),
      session_pk, before_seq);
  std::optional<TodoUpdate> update;
  std::int64_t seq = 0;
  const auto take = [&] {
    if (update) continuity::take_in(list, *update, seq);
    update.reset();
  };
  while (q.step()) {
    if (q.int64(0) != seq) take();
    seq = q.int64(0);
    if (!update) update = TodoUpdate{q.int64(1) != 0, {}};
    add_item_at(q, 2, *update);
  }
  take();
  return list;
}

std::map<std::int64_t, ToolFacts> queries::tool_facts(sqlite::Database& db, std::int64_t session_pk, std::int64_t first,
                                                      std::int64_t end) {
  std::map<std::int64_t, ToolFacts> facts;
  auto& c = db.query(
      "SELECT line, directory, purpose, is_whole, in_background, event_seq FROM commands"
      " WHERE session_pk = ?1 AND event_seq >= ?2 AND event_seq < ?3 ORDER BY event_seq, place",
      session_pk, first, end);
  while (c.step())
    facts[c.int64(5)].commands.push_back(command_at(c, 0));

  auto& r = db.query(
      "SELECT event_seq, exit_code, outcome FROM command_results"
      " WHERE session_pk = ?1 AND event_seq >= ?2 AND event_seq < ?3",
      session_pk, first, end);
  while (r.step()) {
    ToolFacts& of_result = facts[r.int64(0)];
    of_result.exit_code = exit_code_at(r, 1);
    if (!r.is_null(2)) of_result.outcome = static_cast<RunOutcome>(r.int64(2));
  }

  auto& t = db.query(
      "SELECT item_key, text, state, event_seq, replaces FROM todo_items"
      " WHERE session_pk = ?1 AND event_seq >= ?2 AND event_seq < ?3 ORDER BY event_seq, place",
      session_pk, first, end);
  while (t.step()) {
    auto& todos = facts[t.int64(3)].todos;
    if (!todos) todos = TodoUpdate{t.int64(4) != 0, {}};
    add_item_at(t, 0, *todos);
  }
  return facts;
}

}  // namespace memd
