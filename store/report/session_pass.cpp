#include "store/report/session_pass.hpp"

#include "schemas/base/utf8.hpp"
#include "schemas/sql_text.hpp"
#include "store/db/rows.hpp"
#include "store/read/session_titles.hpp"
#include "store/text/event_summary.hpp"

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
  // Activity before a session's first prompt is not counted as an exchange.
  auto& q = db_.query(
      "SELECT exchange_pk, exchange_number, first_seq, last_seq, started_at, origin,"
      " user_message IS NOT NULL, CASE WHEN ?2 THEN substr(user_message, 1, ?3) END, model_used,"
      " tool_calls, tool_errors, lines_added, lines_removed"
      " FROM exchanges WHERE session_pk = ?1 ORDER BY exchange_number",
      session.pk, detail != nullptr, kTextStart);
  std::set<TimeMs> days;
  sqlite::each(
      q, [&](ExchangeId id, std::int64_t number, std::int64_t first_seq, std::int64_t last_seq, TimeMs time,
             Origin origin, bool counts, const std::string& asked, const std::string& model, std::int64_t tool_calls,
             std::int64_t tool_errors, std::int64_t lines_added, std::int64_t lines_removed) {
        if (filter_.since > 0 && time < filter_.since) return;
        if (filter_.until > 0 && time >= filter_.until) return;
        if (timed() && time == 0) return;
        const TimeMs day = report_day(time);
        exchanges_.push_back({id, number, first_seq, last_seq, day});

        DayActivity& activity = figures_.activity[{day, session.platform}];
        activity.day = day;
        activity.platform = session.platform;
        if (session.main && counts && days.insert(day).second) ++activity.sessions;
        (session.main ? activity.exchanges : activity.subagent_exchanges) += counts;
        activity.tool_calls += tool_calls;
        activity.tool_errors += tool_errors;
        activity.lines_added += lines_added;
        activity.lines_removed += lines_removed;
        DayUsage& usage = figures_.usage[{day, session.platform, model}];
        usage.day = day;
        usage.platform = session.platform;
        usage.model = model;
        usage.exchanges += counts;

        (session.main ? report_.exchanges : report_.subagent_exchanges) += counts;
        if (time == 0) {
          report_.undated_exchanges += counts;
        } else {
          if (report_.span.start == 0 || time < report_.span.start) report_.span.start = time;
          report_.span.end = std::max(report_.span.end, time);
        }
        if (detail == nullptr) return;
        detail->exchanges += counts;
        detail->lines_added += lines_added;
        detail->lines_removed += lines_removed;
        if (!counts) return;
        if (detail->goal.empty() && origin != Origin::injected && origin != Origin::command && origin != Origin::shell)
          detail->goal = asked;
        if (detail->turns.size() < kTurns)
          detail->turns.push_back({id, time, queries::session_title({}, asked), asked, tool_calls, tool_errors});
      });
}

void SessionPass::read_last_answer(ReportSession& detail) {
  auto& q = db_.prepare(
      "SELECT substr(CAST(assistant_response AS BLOB), answer_offset + 1, ?2) FROM exchanges WHERE exchange_pk = ?1");
  for (auto it = exchanges_.rbegin(); it != exchanges_.rend() && detail.last_said.empty(); ++it) {
    const auto row = q.bind(it->id, kTextStart).row();
    if (row) detail.last_said = utf8_prefix(q.blob(0), kTextStart);
  }
}

void SessionPass::read_files(const SelectedSession& session, ReportSession* detail) {
  auto& q = db_.query(
      "SELECT exchange_number, path_pk, access, touches, lines_added, lines_removed FROM exchange_files"
      " WHERE session_pk = ?1",
      session.pk);
  std::map<std::int64_t, FileSums> of_session;
  sqlite::each(q, [&](std::int64_t exchange, std::int64_t path, FileAccess access, std::int64_t touches,
                      std::int64_t lines_added, std::int64_t lines_removed) {
    const auto it = std::ranges::lower_bound(exchanges_, exchange, {}, &Exchange::number);
    if (timed() && (it == exchanges_.end() || it->number != exchange)) return;
    auto& sums = of_session[path];
    switch (access) {
      case FileAccess::read: sums.reads += touches; break;
      case FileAccess::modified: sums.edits += touches; break;
      case FileAccess::referenced: sums.mentions += touches; break;
    }
    sums.lines_added += lines_added;
    sums.lines_removed += lines_removed;
  });
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
    std::int64_t seq = 0;
    EventKind kind{};
    std::string tool;
    std::optional<std::int64_t> pair_seq;
    std::uint32_t flags = 0;
    sqlite::read(q, seq, kind, tool, pair_seq, flags);
    if (timed()) {
      while (exchange != exchanges_.end() && exchange->last_seq < seq)
        ++exchange;
      if (exchange == exchanges_.end()) break;
      if (seq < exchange->first_seq) continue;
    }
    switch (kind) {
      case EventKind::tool_call: {
        ToolUse& use = figures_.tools[{tool, session.platform}];
        use.tool = tool;
        use.platform = session.platform;
        ++use.calls;
        if (pair_seq) calls[seq] = &use;
        break;
      }
      case EventKind::tool_result: {
        const auto call = pair_seq ? calls.find(*pair_seq) : calls.end();
        if (call == calls.end()) break;
        ++call->second->answered;
        call->second->errors += (flags & kFlagError) != 0;
        break;
      }
      case EventKind::test_run:
        report_.add_run(outcome_of_test_run(q.text(5)));
        if (detail != nullptr) detail->add_run(outcome_of_test_run(q.text(5)));
        break;
      default: break;
    }
  }
}

void SessionPass::read_decisions(const SelectedSession& session, ReportSession& detail) {
  auto& q = db_.query(
      "SELECT summary FROM observations WHERE session_pk = ?1 AND type = 'decision' AND time >= ?2"
      " AND (?3 = 0 OR time < ?3) ORDER BY time LIMIT ?4",
      session.pk, filter_.since, filter_.until, kDecisions);
  detail.decisions = q.all(sqlite::fields_of<std::string>);
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
    sqlite::each(q, [&](std::string stems, std::string_view name, double score) {
      if (const auto it = figures_.followed.find(stems); it != figures_.followed.end() && e.day > 0)
        if (here.insert(it->second).second) ++figures_.topic_days[{it->second, e.day}];
      if (detail == nullptr) return;
      Weight& weight = of_session[std::move(stems)];
      weight.sum += score;
      if (score <= weight.best) return;
      weight.best = score;
      weight.name = name;
    });
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
