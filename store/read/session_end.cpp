#include "store/read/session_end.hpp"

#include "schemas/base/hash.hpp"
#include "schemas/sql_text.hpp"
#include "store/db/rows.hpp"
#include "store/insight/continuity/working_state.hpp"
#include "store/read/tool_facts.hpp"
#include "store/text/event_summary.hpp"
#include "store/text/shell_line.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace memd {
namespace {

using Last = SessionEnd::Last;

constexpr int kExchanges = 6;  // number of exchanges searched; exchanges that are client commands are skipped
constexpr int kEvents = 400;   // newest events read per exchange

struct Lineage {
  SessionKind kind = SessionKind::main;
  std::string parent_uid;
  std::string parent_call_id;
};

std::optional<Lineage> lineage_of(sqlite::Database& db, std::int64_t session_pk) {
  auto& q = db.query("SELECT kind, parent_uid, parent_call_id FROM sessions WHERE session_pk = ?", session_pk);
  std::optional<Lineage> out;
  if (const auto row = q.row()) out = Lineage{static_cast<SessionKind>(row->int64(0)), row->str(1), row->str(2)};
  return out;
}

struct EndSpan {
  std::int64_t number = 0;
  std::int64_t first_seq = 0;
  std::int64_t end_seq = 0;  // exclusive
  bool whole = true;         // the exchange ends before the requested end
  Origin origin{};
};

// Returns the last exchanges, newest first.
std::vector<EndSpan> last_exchanges(sqlite::Database& db, std::int64_t session_pk, std::int64_t before_seq) {
  auto& q = db.query(
      "SELECT exchange_number, first_seq, last_seq, origin FROM exchanges"
      " WHERE session_pk = ?1 AND first_seq < ?2 ORDER BY exchange_number DESC LIMIT ?3",
      session_pk, before_seq, kExchanges);
  std::vector<EndSpan> out;
  while (q.step()) {
    const std::int64_t end = out.empty() ? before_seq : out.back().first_seq;
    out.push_back({q.int64(0), q.int64(1), end, q.int64(2) < before_seq, static_cast<Origin>(q.int64(3))});
  }
  return out;
}

// Returns the events of a span, newest first, with what is asked of them here. Excludes subagent events inside a main
// session.
std::vector<EventRow> events_of(sqlite::Database& db, std::int64_t session_pk, SessionKind kind, const EndSpan& span) {
  auto& q = db.query(sql_text("SELECT seq, kind, origin, flags, pair_seq, tool, summary FROM events"
                              " WHERE session_pk = ?1 AND seq >= ?2 AND seq < ?3 AND kind <> EventKind::thinking"
                              " ORDER BY seq DESC LIMIT ?4"),
                     session_pk, span.first_seq, span.end_seq, kEvents);
  std::vector<EventRow> out;
  while (q.step()) {
    EventRow e;
    sqlite::read(q, e.seq, e.kind, e.origin, e.flags, e.pair_seq, e.tool, e.summary);
    if (e.has(kFlagSuperseded) || (e.has(kFlagSidechain) && kind == SessionKind::main)) continue;
    out.push_back(std::move(e));
  }
  return out;
}

bool is_of_person(Origin origin) {
  return origin != Origin::none && origin != Origin::parent_agent && origin != Origin::injected;
}

// Returns the state in which an event leaves the session. Last::nothing: the event does not change it.
Last state_after(const EventRow& e) {
  switch (e.kind) {
    case EventKind::user_msg:
    case EventKind::human_intervention: return e.origin == Origin::injected ? Last::nothing : Last::words;
    case EventKind::assistant_msg: return Last::answer;
    case EventKind::tool_call: return Last::call;
    case EventKind::tool_result: return Last::result;
    case EventKind::error: return e.has(kFlagDerived) ? Last::nothing : Last::failed_request;
    case EventKind::lifecycle: {
      const std::string_view name = lifecycle_of(e.kind, e.summary);
      if (name == "interrupt") return Last::interruption;
      return name == "api_error" ? Last::failed_request : Last::nothing;
    }
    default: return Last::nothing;
  }
}

bool shows_plan(std::string_view tool) { return tool == "ExitPlanMode" || tool == "exit_plan_mode"; }

bool commits(const ToolFacts& facts) {
  return std::any_of(facts.commands.begin(), facts.commands.end(),
                     [](const ShellCommand& command) { return continuity::runs_commit(command.line); });
}

bool builds(const ToolFacts& facts) {
  return std::any_of(facts.commands.begin(), facts.commands.end(),
                     [](const ShellCommand& command) { return command.purpose == CommandPurpose::build; });
}

// Returns whether the agent wrote its task list in the span and left tasks open.
bool leaves_todos(sqlite::Database& db, std::int64_t session_pk, const std::vector<EventRow>& events,
                  const std::map<std::int64_t, ToolFacts>& facts, const EndSpan& span) {
  const bool wrote = std::any_of(events.begin(), events.end(), [&](const EventRow& e) {
    const auto told = facts.find(e.seq);
    return told != facts.end() && told->second.todos.has_value();
  });
  if (!wrote) return false;
  const auto list = TodoListQuery{session_pk, span.end_seq}.run(db);
  return std::any_of(list.begin(), list.end(), continuity::is_open);
}

void read_work(const std::vector<EventRow>& newest_first, const std::map<std::int64_t, ToolFacts>& facts,
               SessionEnd& out) {
  std::unordered_map<std::int64_t, const EventRow*> results;  // keyed by their seq
  bool plan_or_edit = false;
  const auto facts_of = [&](std::int64_t seq) {
    const auto found = facts.find(seq);
    return found != facts.end() ? &found->second : nullptr;
  };
  for (const EventRow& e : newest_first) {
    switch (e.kind) {
      case EventKind::tool_result: results.emplace(e.seq, &e); break;
      case EventKind::edit:
        if (e.has(kFlagPlanned)) break;
        ++out.files_changed;
        plan_or_edit = true;
        out.changed_since_tests = out.changed_since_tests || !out.tests;
        break;
      case EventKind::test_run:
        if (!out.tests) out.tests = outcome_of_test_run(e.summary);
        break;
      case EventKind::tool_call: {
        ++out.calls;
        if (shows_plan(e.tool) && !std::exchange(plan_or_edit, true)) out.plan_shown = true;
        const auto result = e.pair_seq ? results.find(*e.pair_seq) : results.end();
        if (result == results.end()) break;
        if (continuity::is_refusal(result->second->summary)) {
          if (e.has(kFlagModifies) && out.files_changed == 0) out.change_refused = true;
          break;
        }
        const ToolFacts* told = facts_of(e.seq);
        if (told == nullptr) break;
        if (!out.commit && commits(*told))
          out.commit = result->second->has(kFlagError) ? RunOutcome::failed : RunOutcome::passed;
        if (const ToolFacts* ended = facts_of(result->first);
            out.build.value_or(RunOutcome::unknown) == RunOutcome::unknown && !out.tests && builds(*told) &&
            ended != nullptr)
          out.build = ended->outcome.value_or(RunOutcome::unknown);
        break;
      }
      default: break;
    }
  }
}

std::int64_t count(sqlite::Database& db, std::string_view sql, std::int64_t session_pk, const EndSpan& span) {
  return db.query(sql, session_pk, span.first_seq, span.end_seq).value_or(0);
}

void read_texts(sqlite::Database& db, std::int64_t session_pk, const EndSpan& span, SessionEnd& out) {
  if (const auto row = db.query("SELECT user_message, assistant_response, answer_offset FROM exchanges"
                                " WHERE session_pk = ?1 AND exchange_number = ?2",
                                session_pk, span.number)
                           .row()) {
    out.request = row->str(0);
    const std::string_view response = row->text(1);
    // The column holds the text of the whole exchange.
    if (span.whole) out.answer = response.substr(std::min(static_cast<std::size_t>(row->int64(2)), response.size()));
  }
}

// Reads the outcome of the tool call that started a subagent. A result that only reports the start is ignored.
void read_report(sqlite::Database& db, const Lineage& session, SessionEnd& out) {
  constexpr std::string_view kStarted = "Async agent launched";
  if (session.parent_uid.empty() || session.parent_call_id.empty()) return;
  auto& q = db.query(sql_text("SELECT r.flags, r.summary FROM sessions p"
                              " JOIN events c ON c.session_pk = p.session_pk AND c.call_key = ?2"
                              " AND c.kind = EventKind::tool_call"
                              " JOIN events r ON r.session_pk = c.session_pk AND r.seq = c.pair_seq WHERE p.uid = ?1"),
                     session.parent_uid, as_sql(hash64(session.parent_call_id)));
  if (const auto row = q.row(); row && !row->text(1).starts_with(kStarted)) {
    out.report = (static_cast<std::uint32_t>(q.int64(0)) & kFlagError) != 0 ? RunOutcome::failed : RunOutcome::passed;
    out.report_text = q.str(1);
  }
}

}  // namespace

SessionEnd SessionEndQuery::run(sqlite::Database& db) const {
  SessionEnd out;
  const auto session = lineage_of(db, session_pk);
  if (!session) return out;
  read_report(db, *session, out);
  for (const EndSpan& span : last_exchanges(db, session_pk, before_seq)) {
    const auto events = events_of(db, session_pk, session->kind, span);
    const auto last =
        std::find_if(events.begin(), events.end(), [](const EventRow& e) { return state_after(e) != Last::nothing; });
    if (last == events.end()) continue;
    const bool of_client = span.origin == Origin::command || span.origin == Origin::shell;
    if (of_client && state_after(*last) == Last::words) continue;

    out.last = state_after(*last);
    out.asked_by_person = is_of_person(span.origin);
    out.turn_ended = std::any_of(events.begin(), last,
                                 [](const EventRow& e) { return lifecycle_of(e.kind, e.summary) == "turn_duration"; });
    read_texts(db, session_pk, span, out);
    if (out.last == Last::words) out.last_words = last->has(kFlagStartsExchange) ? out.request : last->summary;
    const auto facts = queries::tool_facts(db, session_pk, events.back().seq, span.end_seq);
    read_work(events, facts, out);
    out.todos_open = leaves_todos(db, session_pk, events, facts, span);
    out.commits = count(db, "SELECT count(*) FROM commits WHERE session_pk = ? AND event_seq >= ? AND event_seq < ?",
                        session_pk, span);
    out.pull_requests =
        count(db, "SELECT count(*) FROM pull_requests WHERE session_pk = ? AND event_seq >= ? AND event_seq < ?",
              session_pk, span);
    break;
  }
  return out;
}

}  // namespace memd
