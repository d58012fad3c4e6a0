#include "daemon/report/report_page.hpp"

#include "daemon/report/data_writer.hpp"
#include "daemon/report/html_page.hpp"
#include "daemon/report/memory_map.hpp"
#include "daemon/tools/answer.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/json_writer.hpp"
#include "schemas/base/time.hpp"
#include "schemas/store_health.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace memd::report {
namespace {

constexpr std::size_t kGoalBytes = 320;
constexpr std::size_t kSaidBytes = 420;
constexpr std::size_t kDecisionBytes = 240;
constexpr std::size_t kAskedBytes = 700;

void write_file(DataWriter& w, const ReportFile& f) {
  w.text("path", f.path, 400);
  w.count("reads", f.reads);
  w.count("edits", f.edits);
  w.count("mentions", f.mentions);
  w.count("added", f.lines_added);
  w.count("removed", f.lines_removed);
}

// What a session or a day cost, by its agent and by prices, and how many tokens have no price.
template <class Priced>
void write_cost(DataWriter& w, const Priced& priced) {
  w.count("cost", priced.cost_usd.value_or(0));
  w.count("usd", priced.usd.value_or(0));
  w.count("unpriced", priced.unpriced_tokens);
}

void write_row(DataWriter& w, const ReportSession& s) {
  const SessionRow& row = s.session;
  w.text("id", row.uid);
  w.text("title", row.title);
  w.text("platform", to_string(row.platform));
  if (row.kind != SessionKind::main) w.text("kind", to_string(row.kind));
  w.text("parent", row.parent_uid);
  w.text("agent", row.agent_name);
  w.text("project", row.project_name);
  w.text("model", row.model);
  w.count("start", row.started_at);
  w.count("end", row.ended_at);
  w.count("took", row.cost.wall_clock);
  if (row.outcome != Outcome::unknown) w.text("outcome", to_string(row.outcome));
  w.count("exchanges", s.exchanges);
  w.count("calls", row.tool_calls);
  w.count("errors", row.tool_errors);
  w.count("added", s.lines_added);
  w.count("removed", s.lines_removed);
  w.tokens(s.tokens);
  w.flag("evicted", s.evicted);
}

void write_detail(DataWriter& w, const ReportSession& s) {
  const SessionRow& row = s.session;
  w.text("cwd", row.cwd);
  w.text("branch", row.git_branch);
  w.text("version", row.agent_version);
  w.text("forked_from", row.forked_from);
  w.texts("reasons", tools::sign_names(row.outcome_reasons, row.outcome_reasons.size()), 40);
  w.count("compactions", row.compactions);
  w.count("subagents", row.subagents);
  w.count("retries", row.cost.retries);
  w.count("tests", s.test_runs);
  w.count("tests_failed", s.test_failures);
  w.count("tests_unknown", s.tests_unknown);
  w.text("goal", s.goal, kGoalBytes);
  w.text("last_said", s.last_said, kSaidBytes);
  w.texts("decisions", s.decisions, kDecisionBytes);
  w.texts("topics", s.topics, 80);
  if (!s.files.empty()) w.member_objects("files", s.files, [&](const ReportFile& f) { write_file(w, f); });
  w.count("files_total", s.files_total);
  if (!s.turns.empty())
    w.member_objects("turns", s.turns, [&](const ReportTurn& t) {
      w.count("x", t.id);
      w.count("time", t.time);
      w.text("line", t.line, 160);
      if (const std::string asked = shown(t.asked, kAskedBytes); asked != shown(t.line, 160))
        w.text("asked", t.asked, kAskedBytes);
      w.count("calls", t.tool_calls);
      w.count("errors", t.tool_errors);
    });
}

void write_sessions(DataWriter& w, std::string& out, const Report& report) {
  const std::size_t begin = out.size();
  std::int64_t detailed = 0;
  w.member_objects("sessions", report.newest, [&](const ReportSession& s) {
    write_row(w, s);
    write_cost(w, s);
    if (out.size() - begin > kDetailBytes) return;
    ++detailed;
    w.flag("detail", true);
    write_detail(w, s);
  });
  w.count("detailed", detailed);
}

void write_sums(DataWriter& w, const Report& r) {
  w.key("sums");
  w.begin_object();
  w.count("sessions", r.sessions);
  w.count("subagent_sessions", r.subagent_sessions);
  w.count("evicted_sessions", r.evicted_sessions);
  w.count("exchanges", r.exchanges);
  w.count("subagent_exchanges", r.subagent_exchanges);
  w.count("undated_exchanges", r.undated_exchanges);
  w.tokens(r.tokens);
  w.count("sessions_with_tokens", r.sessions_with_tokens);
  w.count("sessions_with_cost", r.sessions_with_cost);
  w.count("tests", r.test_runs);
  w.count("tests_failed", r.test_failures);
  w.count("tests_unknown", r.tests_unknown);
  w.count("files", r.files_total);
  w.count("start", r.span.start);
  w.count("end", r.span.end);
  w.end_object();
}

void write_days(DataWriter& w, const Report& r) {
  w.member_objects("activity", r.activity, [&](const DayActivity& d) {
    w.count("day", d.day);
    w.text("platform", to_string(d.platform));
    w.count("sessions", d.sessions);
    w.count("exchanges", d.exchanges);
    w.count("subagent_exchanges", d.subagent_exchanges);
    w.count("calls", d.tool_calls);
    w.count("errors", d.tool_errors);
    w.count("added", d.lines_added);
    w.count("removed", d.lines_removed);
  });
  w.member_objects("usage", r.usage, [&](const DayUsage& d) {
    w.count("day", d.day);
    w.text("platform", to_string(d.platform));
    w.text("model", d.model);
    w.count("exchanges", d.exchanges);
    w.tokens(d.tokens);
    write_cost(w, d);
  });
}

void write_uses(DataWriter& w, const Report& r) {
  w.member_objects("tools", r.tools, [&](const ToolUse& t) {
    w.text("tool", t.tool);
    w.text("platform", to_string(t.platform));
    w.count("calls", t.calls);
    w.count("errors", t.errors);
    w.count("answered", t.answered);
  });
  w.member_objects("files", r.files, [&](const FileActivity& f) {
    write_file(w, f);
    w.text("project", f.project);
    w.count("sessions", f.sessions);
  });
  w.member_objects("topics", r.topics, [&](const TopicCount& t) {
    w.text("topic", t.topic);
    w.count("exchanges", t.exchanges);
    w.count("sessions", t.sessions);
    w.count("start", t.span.start);
    w.count("end", t.span.end);
  });
  w.member_objects("topic_days", r.topic_days, [&](const TopicDay& d) {
    w.count("topic", static_cast<std::int64_t>(d.topic));
    w.count("day", d.day);
    w.count("exchanges", d.exchanges);
  });
}

void write_coverage(DataWriter& w, const Report& r) {
  w.member_objects("platforms", r.totals, [&](const PlatformTotals& t) {
    w.text("platform", to_string(t.platform));
    w.count("sources", t.sources);
    w.count("sessions", t.sessions);
    w.count("subagent_sessions", t.subagent_sessions);
    w.count("exchanges", t.exchanges);
    w.count("events", t.events);
    w.count("bytes", t.bytes_total);
    w.count("indexed", t.bytes_indexed);
    w.count("skipped", t.bytes_skipped);
    w.count("pending", t.bytes_pending);
    w.count("unknown", t.bytes_unknown);
    w.count("start", t.span.start);
    w.count("end", t.span.end);
    for (const PlatformFreshness& f : r.freshness)
      if (f.platform == t.platform) {
        w.count("last_event", f.last_event);
        w.count("sources_behind", f.sources_behind);
        w.count("bytes_behind", f.bytes_behind);
      }
  });
  w.member_objects("ledger", r.ledger, [&](const CoverageRow& c) {
    w.text("platform", to_string(c.platform));
    w.text("type", c.entry.record_type);
    w.text("fate", to_string(c.entry.disposition));
    w.text("reason", c.entry.reason);
    w.count("records", c.entry.records);
    w.count("bytes", c.entry.bytes);
  });
  w.member_objects("diagnostics", r.diagnostics, [&](const DiagnosticCount& d) {
    w.text("platform", to_string(d.platform));
    w.text("type", d.error_type);
    w.count("count", d.count);
  });
}

void write_platform_names(DataWriter& w) {
  w.key("platform_names");
  w.begin_object();
  for (const PlatformInfo& p : platforms())
    w.text(p.key, p.name);
  w.end_object();
}

TimeMs first_time(const Report& r, TimeMs made_at) {
  std::vector<TimeMs> times{made_at, r.span.start};
  for (const ReportSession& s : r.newest)
    times.push_back(s.session.started_at);
  for (const PlatformTotals& t : r.totals)
    times.push_back(t.span.start);
  std::erase(times, 0);  // 0: unknown
  return times.empty() ? 0 : *std::min_element(times.begin(), times.end());
}

}  // namespace

std::string report_data(const Report& report, const ReportContext& context) {
  std::string out;
  DataWriter w(out);
  w.begin_object();
  w.text("memd", context.version);
  w.count("made", context.made_at);
  w.text("zone", time_zone_label());
  w.member_objects("offsets", clock_offsets(first_time(report, context.made_at), context.made_at),
                   [&](const ClockOffset& o) {
                     w.count("from", o.from);
                     w.count("ahead", o.ahead);
                   });
  w.text("asked", context.asked, 1000);
  write_platform_names(w);
  write_sums(w, report);
  write_sessions(w, out, report);
  w.text("priced", context.priced_by);
  write_days(w, report);
  write_uses(w, report);
  write_memories(w, context.memories);
  write_coverage(w, report);
  w.member_objects("gaps", context.gaps, [&](const Gap& g) {
    w.flag("warning", g.weight == Gap::Weight::warning);
    if (g.platform) w.text("platform", to_string(*g.platform));
    w.text("text", g.text, 1000);
  });
  w.end_object();
  return out;
}

std::string report_page(std::string_view data) {
  HtmlPage page;
  page.title = "memd report";
  page.styles = {"page.css", "report.css"};
  page.rules = agent_colours();
  page.constants = agent_names();
  page.scripts = {"words.js"};
  page.scripts.insert(page.scripts.end(), kReportScripts.begin(), kReportScripts.end());
  page.scripts.insert(page.scripts.end(), {"theme.js", "tips.js", "saved.js", "saved_report.js"});
  return page_head(page) + std::string(page_file("saved_report.html")) +
         "<script type=\"application/json\" id=\"data\">" + json_for_script(data) + "</script>\n" + page_foot(page);
}

}  // namespace memd::report
