// Views of whole exchanges and of the turns of a session.
#include "daemon/cli/render/frame.hpp"
#include "daemon/cli/render/views.hpp"
#include "daemon/cli/render/words.hpp"

#include <fmt/format.h>

namespace memd::cli {
namespace {

constexpr std::size_t kBodyIndent = 2;

Line decision_line(const tools::DecisionOut& d) {
  Line out;
  if (d.kind) out.add(*d.kind + (d.decided_by == "user" ? " by you: " : " by the agent: "), Style::faint);
  out.add(d.text.value_or(d.chosen.value_or("")));
  if (d.rejected) out.add("; against: ", Style::faint).add(*d.rejected);
  if (d.reason) out.add("; because: ", Style::faint).add(*d.reason);
  if (d.reversed_by) out.add("  taken back in ", Style::warning).add(*d.reversed_by, Style::id);
  return out;
}

void fact(Line& line, std::string_view name, const std::optional<std::string>& value) {
  if (!value || value->empty()) return;
  line.add(line.empty() ? "" : "  ·  ", Style::faint).add(name, Style::faint).add(*value, Style::faint);
}

}  // namespace

void ExchangesView::head(const tools::ExchangeOut& e) {
  const Look& look = screen_.look();
  Line title(e.exchange_id, Style::id);
  title.add("  ").add(when_exactly(e.timestamp, look), Style::faint);
  if (e.session_name) title.add("  ").add(*e.session_name, Style::strong);
  if (e.abandoned_for) title.add("  abandoned for " + *e.abandoned_for, Style::warning);
  if (e.gone_from_source.value_or(false)) title.add("  no longer in the agent's own history", Style::warning);
  screen_.text(title);
  Line facts;
  fact(facts, "turn ", std::to_string(e.exchange_number));
  fact(facts, "of ", session_name(e.session_id, look));
  if (e.working_directory) fact(facts, "in ", short_path(*e.working_directory));
  fact(facts, "branch ", e.git_branch);
  fact(facts, "", e.model_used);
  if (e.tool_calls.value_or(0) > 0)
    fact(facts, "",
         with_noun(*e.tool_calls, "tool call") +
             (e.tool_errors.value_or(0) > 0 ? fmt::format(" ({} failed)", *e.tool_errors) : ""));
  if (e.lines_added.value_or(0) + e.lines_removed.value_or(0) > 0)
    fact(facts, "", fmt::format("+{} -{} lines", e.lines_added.value_or(0), e.lines_removed.value_or(0)));
  if (e.data_completeness != "full") fact(facts, "data ", e.data_completeness);
  fact(facts, "", e.source_path ? std::optional(short_path(*e.source_path)) : std::nullopt);
  screen_.text(facts);
}

void ExchangesView::part(const char* who, const std::optional<std::string>& text) {
  if (!text) return;
  if (part_ != who) screen_.blank().line(Line(who, Style::strong));
  part_ = who;
  screen_.paragraphs(*text, kBodyIndent);
}

void ExchangesView::event(const tools::EventOut& v) {
  if (part_ != "Tools") screen_.blank().line(Line("Tools", Style::strong));
  part_ = "Tools";
  Line line(fmt::format("{:>5} ", v.seq), Style::faint);
  line.add(v.kind, v.is_error ? Style::bad : Style::faint);
  if (v.tool) line.add(" ").add(*v.tool, Style::name);
  if (v.is_sidechain) line.add(" subagent", Style::faint);
  if (v.is_error) line.add(" failed", Style::bad);
  screen_.line(line.add("  ").add(v.summary).cut(screen_.look().columns));
  constexpr std::size_t kIndent = 8;
  if (v.text && *v.text != v.summary) screen_.paragraphs(*v.text, kIndent, Style::faint);
}

void ExchangesView::page(const tools::GetExchangeAnswer& answer) {
  if (!begun_) print_above(screen_, answer, {});
  for (const std::string& id : answer.missing.value_or(std::vector<std::string>()))
    if (!begun_) screen_.line(Line("There is no turn " + id, Style::warning));
  for (const tools::ExchangeOut& e : answer.exchanges) {
    if (e.exchange_id != open_) {
      if (!open_.empty()) screen_.blank().blank();
      open_ = e.exchange_id;
      part_.clear();
      head(e);
    }
    part("You", e.user_message);
    for (const std::string& marks : e.attachments.value_or(std::vector<std::string>()))
      screen_.text(Line(marks, Style::faint), kBodyIndent);
    part("You, meanwhile", e.interventions);
    part("Agent", e.assistant_response);
    for (const tools::EventOut& v : e.events.value_or(std::vector<tools::EventOut>()))
      event(v);
    if (e.decisions_made) {
      screen_.blank().line(Line("Decided", Style::strong));
      for (const tools::DecisionOut& d : *e.decisions_made)
        screen_.text(Line("- ").append(decision_line(d)), kBodyIndent);
    }
    if (e.files_referenced) {
      screen_.blank().line(Line("Files", Style::strong));
      for (const std::string& file : *e.files_referenced)
        screen_.line(Line("  ").add(short_path(file), Style::name));
    }
    if (e.topics) screen_.blank().text(Line("Topics: ", Style::faint).add(tools::joined(*e.topics), Style::faint));
  }
  begun_ = true;
}

void ExchangesView::end(const tools::GetExchangeAnswer& last) {
  std::vector<std::string> commands;
  if (!open_.empty()) commands = {"memd show " + open_ + " --around 1", "memd show " + open_ + " --tools"};
  print_below(screen_, last, commands);
}

void show(Screen& screen, const tools::RecentTurnsAnswer& a) {
  const Look& look = screen.look();
  Line head;
  head.add(a.session_name, Style::strong).add("  ").add(session_name(a.session_id, look), Style::faint);
  print_above(screen, a, head);
  Table table({{"ID"},
               {"WHEN"},
               {"TURN", Column::Fit::whole, true},
               {"YOU", Column::Fit::shrinks},
               {"TOOLS", Column::Fit::whole, true}});
  for (const tools::TurnOut& t : a.turns)
    table.row({Line(t.exchange_id, Style::id), Line(when(t.timestamp, look), Style::faint),
               Line(std::to_string(t.exchange_number), Style::faint),
               Line(t.user_message, t.abandoned_for ? Style::faint : Style::plain),
               Line(t.tool_calls == 0 ? "" : grouped_digits(t.tool_calls), Style::faint)});
  table.print(screen);
  if (!a.summary.empty()) screen.blank().line(Line("In short", Style::strong)).paragraphs(a.summary, kBodyIndent);
  std::vector<std::string> commands;
  if (!a.turns.empty()) commands = {"memd show " + a.turns.back().exchange_id};
  if (a.next) commands.emplace_back("-n N for more turns");
  print_below(screen, a, commands);
}

namespace {

template <class T>
void section(Screen& screen, const char* title, const std::vector<T>& shown, std::int64_t total, auto&& line_of) {
  if (shown.empty()) return;
  Line head(title, Style::strong);
  if (const auto n = static_cast<std::int64_t>(shown.size()); n < total)
    head.add(fmt::format("  {} of {}", n, total), Style::faint);
  screen.blank().line(head);
  for (const T& one : shown)
    screen.text(line_of(one), kBodyIndent);
}

}  // namespace

void show(Screen& screen, const tools::SessionSummaryAnswer& a) {
  const Look& look = screen.look();
  print_above(screen, a, {});
  screen.text(Line(a.session_name, Style::strong));
  Line facts;
  fact(facts, "", when_exactly(a.time_range.end, look));
  fact(facts, "", a.project);
  fact(facts, "", name_of_agent(a.platform));
  fact(facts, "", with_noun(a.total_exchanges, "turn"));
  const bool is_project = a.session_id.empty();
  if (!is_project) fact(facts, "took ", short_duration(a.wall_clock_s));
  if (a.lines_added) fact(facts, "", fmt::format("+{} -{} lines", *a.lines_added, a.lines_removed.value_or(0)));
  if (a.cost_usd) fact(facts, "", fmt::format("${:.2f}", *a.cost_usd));
  if (a.outcome != "unknown") fact(facts, "", a.outcome);
  fact(facts, "", session_name(a.session_id, look));
  screen.text(facts);
  if (a.description) screen.blank().text(Line(*a.description));
  if (!a.summary.empty()) screen.blank().paragraphs(a.summary);
  section(screen, "Decided", a.key_decisions, a.key_decisions_total, [](const tools::DecisionOut& d) {
    Line line(d.exchange_id.value_or(""), Style::id);
    return line.add("  ").append(decision_line(d));
  });
  section(screen, "Open", a.open_ends, 0,
          [](const tools::NotedOut& n) { return Line(n.exchange_id, Style::id).add("  ").add(n.text); });
  const std::string root = a.project + "/";
  section(screen, "Files changed", a.files_modified, a.files_modified_total, [&](const tools::ChangedFileOut& f) {
    Line line;
    if (!f.last_exchange_id.empty()) line.add(f.last_exchange_id, Style::id).add("  ");
    line.add(is_project && f.path.starts_with(root) ? f.path.substr(root.size()) : short_path(f.path), Style::name);
    if (f.lines_added + f.lines_removed > 0)
      line.add(fmt::format("  +{} -{}", f.lines_added, f.lines_removed), Style::faint);
    return line;
  });
  section(screen, "Commits", a.commits, a.commits_total, [](const tools::SessionCommitOut& c) {
    Line line(c.exchange_id, Style::id);
    line.add("  ").add(c.sha, Style::warning).add("  ").add(c.subject);
    if (c.pull_request) line.add("  in " + *c.pull_request, Style::faint);
    return line;
  });
  section(screen, "Pull requests", a.pull_requests, a.pull_requests_total,
          [](const std::string& url) { return Line(url); });
  SessionNames names(look);
  for (const tools::SummaryChunkOut& c : a.chunks)
    if (c.session_id) names.add(*c.session_id);
  section(screen, is_project ? "Sessions" : "Parts", a.chunks, a.chunks_total, [&](const tools::SummaryChunkOut& c) {
    const std::string mark = is_project ? when(c.time_range.end, look) : fmt::format("{:>3}", c.chunk);
    Line line(mark + "  ", Style::faint);
    if (c.session_id) line.add(names.name(*c.session_id), Style::id).add("  ");
    return line.add(c.summary);
  });
  if (!a.topics.empty()) screen.blank().text(Line("Topics: ", Style::faint).add(tools::joined(a.topics), Style::faint));
  if (is_project) return print_below(screen, a, {});
  std::vector<std::string> commands{"memd recent " + session_name(a.session_id, screen.look())};
  if (a.chunks_total > 1) commands.push_back("memd summary " + session_name(a.session_id, look) + " --chunk N");
  print_below(screen, a, commands);
}

void show(Screen& screen, const tools::ResumeAnswer& a) {
  print_above(screen, a, {});
  screen.text(Line(a.session_name, Style::strong));
  Line facts;
  fact(facts, "",
       a.boundary.kind == "end" ? "to its end"
                                : fmt::format("before its {} {}", a.boundary.kind, a.boundary.compaction));
  fact(facts, "", when_exactly(a.boundary.time, screen.look()));
  fact(facts, "in ", a.cwd ? std::optional(short_path(*a.cwd)) : std::nullopt);
  fact(facts, "branch ", a.git_branch);
  fact(facts, "", session_name(a.session_id, screen.look()));
  screen.text(facts);
  const auto lines = [&](const char* title, const std::optional<std::vector<std::string>>& list) {
    if (list) section(screen, title, *list, 0, [](const std::string& one) { return Line("- ").add(one); });
  };
  const auto words = [&](const char* title, const std::optional<std::string>& text) {
    if (text) screen.blank().line(Line(title, Style::strong)).paragraphs(*text, kBodyIndent);
  };
  lines("Goal", a.goal);
  lines("Keep to", a.constraints);
  lines("Decided", a.decisions);
  lines("Said", a.said);
  lines("Open", a.problems);
  words("Last error", a.last_error);
  lines("Tests", a.tests);
  lines("Next", a.next_steps);
  words("Agent's last words", a.last_words);
  lines("In the background", a.running);
  lines("Files (e edited, r read)", a.files);
  if (a.commands) {
    screen.blank().line(Line("Commands", Style::strong));
    for (const tools::ResumeCommandsOut& group : *a.commands)
      for (const std::string& one : group.lines)
        screen.paragraphs(one, kBodyIndent);
  }
  lines("Memories", a.memories);
  std::vector<std::string> commands{"memd recent " + session_name(a.session_id, screen.look())};
  if (a.left_out > 0)
    commands.insert(commands.begin(), fmt::format("--max-tokens N for {} more", with_noun(a.left_out, "item")));
  print_below(screen, a, commands);
}

}  // namespace memd::cli
