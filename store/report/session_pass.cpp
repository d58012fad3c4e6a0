#include "store/report/session_pass.hpp"

#include "schemas/sql_text.hpp"
#include "store/read/observations.hpp"
#include "store/read/sessions.hpp"
#include "store/text/event_summary.hpp"
#include "store/text/text_units.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace memd::report {
namespace {

constexpr std::size_t kTurns = 60;        // maximum number listed per session
constexpr std::size_t kFiles = 12;        // maximum number listed per session
constexpr std::size_t kDecisions = 8;     // maximum number listed per session
constexpr std::size_t kTopics = 6;        // maximum number listed per session
constexpr std::int64_t kTextStart = 800;  // characters of a goal, bytes of an answer

// Counts a run in the figures of a session or of all.
template <class Figures>
void count_test_run(RunOutcome outcome, Figures& out) {
  ++out.test_runs;
  if (outcome == RunOutcome::failed) ++out.test_failures;
  if (outcome == RunOutcome::unknown) ++out.tests_unknown;
}

}  // namespace

void SessionPass::add(const SelectedSession& session, ReportSession* detail) {
  exchanges_.clear();
  read_exchanges(session, detail);
  if (exchanges_.empty() && timed()) return;
  read_files(session, detail);
  read_events(session, detail);
  if (detail != nullptr) read_decisions(session, *detail);
  read_topics(detail);
  if (detail != nullptr) read_last_answer(*detail);
}

void SessionPass::read_exchanges(const SelectedSession& session, ReportSession* detail) {
  auto& q = db_.query(
      "SELECT exchange_pk, exchange_number, first_seq, last_seq, started_at, origin,"
      " user_message IS NOT NULL, CASE WHEN ?2 THEN substr(user_message, 1, ?3) END, model_used,"
      " tool_calls, tool_errors, lines_added, lines_removed"
      " FROM exchanges WHERE session_pk = ?1 ORDER BY exchange_number",
      session.pk, detail != nullptr, kTextStart);
  std::set<TimeMs> days;
  while (q.step()) {
    const TimeMs time = q.int64(4);
    if (filter_.since > 0 && time < filter_.since) continue;
    if (filter_.until > 0 && time >= filter_.until) continue;
    if (timed() && time == 0) continue;
    const TimeMs day = report_day(time);
    // Activity before a session's first prompt is not counted as an exchange.
    const bool counts = q.int64(6) != 0;
    exchanges_.push_back({q.int64(0), q.int64(1), q.int64(2), q.int64(3), day});

    DayActivity& activity = figures_.activity[{day, session.platform}];
    activity.day = day;
    activity.platform = session.platform;
    if (session.main && counts && days.insert(day).second) ++activity.sessions;
    (session.main ? activity.exchanges : activity.subagent_exchanges) += counts;
    activity.tool_calls += q.int64(9);
    activity.tool_errors += q.int64(10);
    activity.lines_added += q.int64(11);
    activity.lines_removed += q.int64(12);
    DayUsage& usage = figures_.usage[{day, session.platform, q.str(8)}];
    usage.day = day;
    usage.platform = session.platform;
    usage.model = q.text(8);
    usage.exchanges += counts;

    (session.main ? report_.exchanges : report_.subagent_exchanges) += counts;
    if (time == 0) {
      report_.undated_exchanges += counts;
    } else {
      if (report_.span.start == 0 || time < report_.span.start) report_.span.start = time;
      report_.span.end = std::max(report_.span.end, time);
    }
    if (detail == nullptr) continue;
    detail->exchanges += counts;
    detail->lines_added += q.int64(11);
    detail->lines_removed += q.int64(12);
    if (!counts) continue;
    const auto origin = static_cast<Origin>(q.int64(5));
    if (detail->goal.empty() && origin != Origin::injected && origin != Origin::command && origin != Origin::shell)
      detail->goal = q.text(7);
    if (detail->turns.size() < kTurns)
      detail->turns.push_back(
          {q.int64(0), time, queries::session_title({}, q.text(7)), q.str(7), q.int64(9), q.int64(10)});
  }
}

void SessionPass::read_last_answer(ReportSession& detail) {
  auto& q = db_.prepare(
      "SELECT substr(CAST(assistant_response AS BLOB), answer_offset + 1, ?2) FROM exchanges WHERE exchange_pk = ?1");
  for (auto it = exchanges_.rbegin(); it != exchanges_.rend() && detail.last_said.empty(); ++it) {
    const auto row = q.bind(it->id, kTextStart + 1).row();
    if (!row) continue;  // the extra byte shows whether the limit cuts a character
    const std::string_view text = q.blob(0);
    std::size_t end = std::min(text.size(), static_cast<std::size_t>(kTextStart));
    while (end > 0 && is_utf8_tail(text, end))
      --end;
    detail.last_said = text.substr(0, end);
  }
}

void SessionPass::read_files(const SelectedSession& session, ReportSession* detail) {
  auto& q = db_.query(
      "SELECT exchange_number, path_pk, access, touches, lines_added, lines_removed FROM exchange_files"
      " WHERE session_pk = ?1",
      session.pk);
  std::map<std::int64_t, FileSums> of_session;
  while (q.step()) {
    const auto in_time = [&] {
      const auto it = std::lower_bound(exchanges_.begin(), exchanges_.end(), q.int64(0),
                                       [](const Exchange& e, std::int64_t number) { return e.number < number; });
      return it != exchanges_.end() && it->number == q.int64(0);
    };
    if (timed() && !in_time()) continue;
    auto& sums = of_session[q.int64(1)];
    switch (static_cast<FileAccess>(q.int64(2))) {
      case FileAccess::read: sums.reads += q.int64(3); break;
      case FileAccess::modified: sums.edits += q.int64(3); break;
      case FileAccess::referenced: sums.mentions += q.int64(3); break;
    }
    sums.lines_added += q.int64(4);
    sums.lines_removed += q.int64(5);
  }
  for (const auto& [path, sums] : of_session) {
    auto& all = figures_.files[{path, session.project_pk}];
    all.add(sums);
    ++all.sessions;
  }
  if (detail == nullptr) return;
  detail->files_total = static_cast<std::int64_t>(of_session.size());
  std::vector<std::pair<std::int64_t, FileSums>> most(of_session.begin(), of_session.end());
  const auto count = std::min(most.size(), kFiles);
  std::partial_sort(most.begin(), most.begin() + static_cast<std::ptrdiff_t>(count), most.end(),
                    [](const auto& a, const auto& b) {
                      return std::tuple(-a.second.edits, -a.second.touches(), a.first) <
                             std::tuple(-b.second.edits, -b.second.touches(), b.first);
                    });
  auto& name = db_.prepare("SELECT path FROM paths WHERE path_pk = ?1");
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [path, sums] = most[i];
    if (const auto row = name.bind(path).row()) detail->files.push_back({sums, row->str(0)});
  }
}

void SessionPass::read_events(const SelectedSession& session, ReportSession* detail) {
  auto& q = db_.query(sql_text("SELECT seq, kind, tool, pair_seq, flags"
                               ", CASE WHEN kind = EventKind::test_run THEN summary END FROM events"
                               " WHERE session_pk = ?1 AND kind IN (EventKind::tool_call, EventKind::tool_result,"
                               " EventKind::test_run) ORDER BY seq"),
                      session.pk);
  std::unordered_map<std::int64_t, ToolUse*> calls;  // by seq
  auto exchange = exchanges_.begin();
  while (q.step()) {
    const std::int64_t seq = q.int64(0);
    if (timed()) {
      while (exchange != exchanges_.end() && exchange->last_seq < seq)
        ++exchange;
      if (exchange == exchanges_.end()) break;
      if (seq < exchange->first_seq) continue;
    }
    const bool error = (q.int64(4) & kFlagError) != 0;
    switch (static_cast<EventKind>(q.int64(1))) {
      case EventKind::tool_call: {
        ToolUse& use = figures_.tools[{q.str(2), session.platform}];
        use.tool = q.text(2);
        use.platform = session.platform;
        ++use.calls;
        if (!q.is_null(3)) calls[seq] = &use;
        break;
      }
      case EventKind::tool_result: {
        const auto call = q.is_null(3) ? calls.end() : calls.find(q.int64(3));
        if (call == calls.end()) break;
        ++call->second->answered;
        call->second->errors += error;
        break;
      }
      case EventKind::test_run:
        count_test_run(outcome_of_test_run(q.text(5)), report_);
        if (detail != nullptr) count_test_run(outcome_of_test_run(q.text(5)), *detail);
        break;
      default: break;
    }
  }
}

void SessionPass::read_decisions(const SelectedSession& session, ReportSession& detail) {
  static const std::string sql =
      "SELECT o.summary FROM observations o WHERE o.session_pk = ?1 AND o.type = 'decision' AND o.time >= ?2"
      " AND (?3 = 0 OR o.time < ?3) AND " +
      std::string(queries::kShownObservation) + " ORDER BY o.time";
  auto& q = db_.query(sql, session.pk, filter_.since, filter_.until);
  while (detail.decisions.size() < kDecisions && q.step())
    detail.decisions.push_back(q.str(0));
  q.reset();
}

void SessionPass::read_topics(ReportSession* detail) {
  if (detail == nullptr && figures_.followed.empty()) return;
  struct Weight {
    double sum = 0;
    double best = 0;
    std::string name;  // spelling in the exchange with the highest weight
  };
  std::map<std::string, Weight> of_session;  // by stems
  auto& q = db_.prepare(
      "SELECT t.stems, t.topic, x.relevance_score FROM exchange_topics x JOIN topics t USING (topic_pk)"
      " WHERE x.exchange_pk = ?1");
  for (const Exchange& e : exchanges_) {
    q.bind(e.id);
    std::set<std::size_t> here;  // forms of one topic count once
    while (q.step()) {
      std::string stems = q.str(0);
      if (const auto it = figures_.followed.find(stems); it != figures_.followed.end() && e.day > 0)
        if (here.insert(it->second).second) ++figures_.topic_days[{it->second, e.day}];
      if (detail == nullptr) continue;
      Weight& weight = of_session[std::move(stems)];
      weight.sum += q.real(2);
      if (q.real(2) <= weight.best) continue;
      weight.best = q.real(2);
      weight.name = q.text(1);
    }
  }
  if (detail == nullptr) return;
  std::vector<const Weight*> order;
  for (const auto& [stems, weight] : of_session)
    order.push_back(&weight);
  std::stable_sort(order.begin(), order.end(), [](const Weight* a, const Weight* b) { return a->sum > b->sum; });
  for (std::size_t i = 0; i < std::min(order.size(), kTopics); ++i)
    detail->topics.push_back(order[i]->name);
}

}  // namespace memd::report
