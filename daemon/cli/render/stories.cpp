// Views of history: observations, days, topics, the history of a file.
#include "daemon/cli/render/frame.hpp"
#include "daemon/cli/render/views.hpp"
#include "daemon/cli/render/words.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/time.hpp"

#include <fmt/format.h>

namespace memd::cli {
namespace {

std::string day_of(TimeMs time) { return format_local_minute(time).substr(0, 10); }
std::string day_of(std::string_view rfc3339) { return day_of(parse_rfc3339(rfc3339).value_or(0)); }

std::string days(const std::string& first, const std::string& last) {
  return first == last ? first : first + " to " + last;
}

// Prints a heading when a new day begins in a list ordered by time.
void day_line(Screen& screen, std::string& day, const std::string& next, bool blank_before) {
  if (next == day) return;
  day = next;
  if (blank_before) screen.blank();
  Line line(next, Style::strong);
  if (screen.look().is_terminal)
    if (const std::string relative = ago_in_days(parse_local_time(next).value_or(0), screen.look().now);
        relative != next)
      line.add("  " + relative, Style::faint);
  screen.line(line);
}

Style style_of_kind(std::string_view kind) {
  if (kind == "problem" || kind == "warning") return Style::bad;
  if (kind == "decision") return Style::warning;
  if (kind == "bugfix" || kind == "solution" || kind == "success") return Style::good;
  return Style::name;
}

}  // namespace

void ObservationsView::page(const tools::ListObservationsAnswer& answer) {
  if (!begun_) {
    Line head;
    if (answer.observations.empty()) head.add("Nothing noted");
    print_above(screen_, answer, head);
  }
  begun_ = true;
  for (const tools::ObservationOut& o : answer.observations) {
    day_line(screen_, day_, day_of(o.timestamp), shown_ > 0);
    ++shown_;
    Line line = Line(fmt::format("{:<6}", o.exchange_id.value_or("-")), Style::id).add("  ");
    line.add(o.kind, style_of_kind(o.kind)).add("  ");
    if (!o.project.empty()) line.add(o.project, Style::name).add("  ");
    line.add(o.text);
    if (o.decision && o.decision->reversed_by)
      line.add("  taken back in ", Style::warning).add(*o.decision->reversed_by, Style::id);
    line.add("  " + o.id, Style::faint);
    screen_.text(line, 2);
    constexpr std::size_t kIndent = 10;
    if (o.files) {
      std::vector<std::string> files;
      for (const std::string& file : *o.files)
        files.push_back(short_path(file));
      screen_.text(Line(tools::joined(files), Style::faint), kIndent);
    }
  }
}

void ObservationsView::end(const tools::ListObservationsAnswer& last) {
  std::vector<std::string> commands;
  if (shown_ < static_cast<std::size_t>(last.total))
    commands.push_back(fmt::format("{} of {}: memd observations -n 0 for all", shown_, last.total));
  print_below(screen_, last, commands);
}

namespace {

// Returns the session of a line such as `- 09:12 to 09:13 "Upload test", x3`; null if two sessions have that title.
const tools::TemporalSessionOut* session_of_line(const std::vector<tools::TemporalSessionOut>& sessions,
                                                 std::string_view line) {
  const tools::TemporalSessionOut* out = nullptr;
  for (const tools::TemporalSessionOut& s : sessions) {
    const std::string title = "\"" + s.session_name + "\", ";
    if (line.ends_with(title + s.first_exchange_id)) return &s;
    if (line.find(title) == std::string_view::npos) continue;
    if (out != nullptr) return nullptr;
    out = &s;
  }
  return out;
}

}  // namespace

void TimelineView::page(const tools::TemporalQueryAnswer& answer) {
  for (const tools::TemporalSessionOut& s : answer.sessions)
    projects_.insert(s.project);
  if (answer.total_exchanges == 0) return print_above(screen_, answer, {});  // its lead says so, and when there is
  if (!begun_) {
    Line head(with_noun(answer.total_exchanges, "turn") + " in " + with_noun(answer.total_sessions, "session"));
    // Its end is exclusive.
    const TimeMs last = parse_rfc3339(answer.time_range.until).value_or(1) - 1;
    head.add(", " + days(day_of(answer.time_range.since), day_of(last)), Style::faint);
    print_above(screen_, answer, head);
  }
  // The summary is a text: a day, then for each session a line that begins with "- ", and further lines below it.
  std::string_view rest = answer.summary;
  while (!rest.empty()) {
    const std::string_view one = ascii::take_until(rest, '\n');
    if (one.empty()) continue;
    if (one.starts_with("- ")) {
      Line line(one.substr(2));
      const auto* session = projects_.size() > 1 ? session_of_line(answer.sessions, one) : nullptr;
      if (session != nullptr) line.add("  ").add(session->project, Style::name);
      screen_.text(line, 2);
    } else if (one.starts_with("  ")) {
      screen_.text(Line(one.substr(2), Style::faint), 6, 3);
    } else {
      day_line(screen_, day_, std::string(one), begun_);
    }
    begun_ = true;
  }
  begun_ = true;
}

void TimelineView::end(const tools::TemporalQueryAnswer& last) {
  std::vector<std::string> commands;
  if (!last.sessions.empty()) commands = {"memd show " + last.sessions.front().first_exchange_id};
  print_below(screen_, last, commands);
}

TopicView::TopicView(Screen& screen)
    : screen_(screen),
      table_({{"TOPIC", Column::Fit::shrinks},
              {"TURNS", Column::Fit::whole, true},
              {"SESSIONS", Column::Fit::whole, true},
              {"LAST"},
              {"FIRST", Column::Fit::may_go}}) {}

void TopicView::list(const tools::TopicSearchAnswer& answer) {
  if (!begun_) {
    Line head;
    if (answer.topics->empty()) head.add("No topics");
    print_above(screen_, answer, head);
  }
  for (const tools::TopicOut& t : *answer.topics)
    table_.row({Line(t.topic, Style::strong), Line(grouped_digits(t.exchanges)), Line(grouped_digits(t.sessions)),
                Line(when(t.time_range.end, screen_.look()), Style::faint),
                Line(day_of(t.time_range.start), Style::faint)});
  table_.print(screen_);
}

void TopicView::page(const tools::TopicSearchAnswer& answer) {
  if (answer.topics) {
    list(answer);
    begun_ = true;
    return;
  }
  if (!begun_) {
    Line head(answer.topic, Style::strong);
    head.add("  " + with_noun(answer.total_exchanges, "turn") + " in " + with_noun(answer.sessions_found, "session"));
    if (answer.time_range)
      head.add(", " + days(day_of(answer.time_range->start), day_of(answer.time_range->end)), Style::faint);
    print_above(screen_, answer, head);
    if (answer.known_as && answer.known_as->size() > 1)
      screen_.text(Line("Also called: " + tools::joined(*answer.known_as), Style::faint));
    if (answer.related_topics) screen_.text(Line("Beside it: " + tools::joined(*answer.related_topics), Style::faint));
  }
  if (!begun_) memories(answer);
  begun_ = true;
  for (const auto& [session_id, s] : answer.by_session) {
    screen_.blank();
    Line head(s.exchange_ids.empty() ? std::string() : s.exchange_ids.front(), Style::id);
    head.add("  ")
        .add(when(s.time_range.end, screen_.look()), Style::faint)
        .add("  ")
        .add(s.session_name, Style::strong);
    head.add("  " + with_noun(s.exchange_count, "turn"), Style::faint);
    if (s.turn != "mention") head.add("  ").add(s.turn, style_of_kind(s.turn));
    if (!screen_.look().is_terminal) head.add("  ").add(session_id, Style::faint);
    screen_.line(head.cut(screen_.look().columns));
    constexpr std::size_t kIndent = 4;
    const std::string& told = s.what_was_new.empty() ? s.summary : s.what_was_new;
    if (!told.empty()) screen_.text(Line(told), kIndent, 4);
    for (const tools::DecisionOut& d : s.decisions.value_or(std::vector<tools::DecisionOut>()))
      screen_.text(Line("decided: ", Style::warning).add(d.text.value_or("")), kIndent, 3);
  }
}

// Prints the memories about the topic, above the sessions.
void TopicView::memories(const tools::TopicSearchAnswer& answer) {
  for (const tools::FoundMemoryOut& m : answer.memories.value_or(std::vector<tools::FoundMemoryOut>())) {
    Line head(m.memory.slug, Style::id);
    head.add("  ").add(when(m.updated, screen_.look()), Style::faint).add("  ").add(m.title, Style::strong);
    head.add("  memory, " + m.memory.type, Style::good);
    if (m.memory.superseded_by) head.add("  superseded by " + *m.memory.superseded_by, Style::warning);
    screen_.blank().line(head.cut(screen_.look().columns));
    screen_.text(with_marks(m.snippet), 4, 3);
  }
}

void TopicView::end(const tools::TopicSearchAnswer& last) {
  std::vector<std::string> commands;
  if (last.topics && !last.topics->empty()) commands = {"memd topic " + last.topics->front().topic};
  if (!last.by_session.empty() && !last.by_session.front().second.exchange_ids.empty())
    commands = {"memd show " + last.by_session.front().second.exchange_ids.front()};
  print_below(screen_, last, commands);
}

namespace {

void file_use(Screen& screen, const tools::FileUseOut& u) {
  Line head(u.exchange_id, Style::id);
  head.add("  ").add(when(u.timestamp, screen.look()), Style::faint).add("  ");
  head.add(u.access, u.access == "modified" ? Style::warning : Style::faint);
  if (u.lines_added + u.lines_removed > 0) head.add(fmt::format("  +{} -{}", u.lines_added, u.lines_removed));
  if (u.lines) head.add("  lines " + *u.lines, Style::faint);
  if (u.match && *u.match != "placed") head.add("  " + *u.match, Style::faint);
  if (u.outcome == "tests_passed") head.add("  tests passed", Style::good);
  if (u.outcome == "tests_failed") head.add("  tests failed", Style::bad);
  if (u.outcome == "tests_unknown") head.add("  tests ran, result unknown", Style::faint);
  if (u.committed_as) head.add("  commit ", Style::faint).add(*u.committed_as, Style::warning);
  screen.text(head, 2);
  constexpr std::size_t kIndent = 6;
  if (!u.asked.empty())
    screen.line(Line("      > ", Style::faint).add(u.asked, Style::faint).cut(screen.look().columns));
  if (u.said) screen.text(Line(*u.said), kIndent, 3);
  if (u.test) screen.text(Line("test: " + *u.test, Style::faint), kIndent, 2);
  if (u.error) screen.text(Line("error: " + *u.error, Style::bad), kIndent, 2);
  for (const std::string& file : u.files.value_or(std::vector<std::string>()))
    screen.line(Line("      ").add(short_path(file), Style::name).cut(screen.look().columns));
  for (const Line& line : changed_lines(u.change.value_or("")))
    screen.line(Line("      ").append(line).cut(screen.look().columns));
}

}  // namespace

void FileView::page(const tools::FileHistoryAnswer& answer) {
  const Look& look = screen_.look();
  if (!begun_) {
    Line head(with_noun(answer.total_exchanges, "turn") + " in " + with_noun(answer.total_sessions, "session"));
    if (answer.total_files > 1) head.add(", " + with_noun(answer.total_files, "file"));
    print_above(screen_, answer, head);
    for (const tools::CommitOut& c : answer.commits.value_or(std::vector<tools::CommitOut>())) {
      Line line("commit ");
      line.add(c.sha.value_or("(not named)"), Style::warning).add("  ").add(when(c.timestamp, look), Style::faint);
      if (c.exchange_id) line.add("  ").add(*c.exchange_id, Style::id);
      line.add("  ")
          .add(c.subject.value_or(""), Style::strong)
          .add("  " + c.confidence + ": " + c.evidence, Style::faint);
      screen_.text(line);
    }
    Table files({{"FILE", Column::Fit::shrinks}, {"TURNS", Column::Fit::whole, true}, {"LAST"}, {"LINES"}});
    for (const tools::PathTotalOut& f : answer.files)
      files.row(
          {Line(short_path(f.path), Style::name), Line(grouped_digits(f.exchanges)),
           Line(when(f.last, look), Style::faint),
           Line(f.lines_added + f.lines_removed > 0 ? fmt::format("+{} -{}", f.lines_added, f.lines_removed) : "")});
    files.print(screen_);
  }
  begun_ = true;
  for (const tools::FileSessionOut& s : answer.sessions) {
    if (s.session_id != session_) {
      session_ = s.session_id;
      Line line(s.session_name, Style::strong);
      line.add("  ").add(s.project, Style::name).add("  ").add(name_of_agent(s.platform), Style::faint);
      if (s.git_branch) line.add("  " + *s.git_branch, Style::faint);
      line.add("  ").add(session_name(s.session_id, look), Style::faint);
      screen_.blank().line(line.cut(look.columns));
      for (const std::string& url : s.pull_requests.value_or(std::vector<std::string>()))
        screen_.line(Line("  ").add(url, Style::faint));
    }
    for (const tools::FileUseOut& u : s.exchanges) {
      if (first_id_.empty()) first_id_ = u.exchange_id;
      file_use(screen_, u);
    }
  }
}

void FileView::end(const tools::FileHistoryAnswer& last) {
  std::vector<std::string> commands;
  if (!first_id_.empty()) commands = {"memd show " + first_id_};
  print_below(screen_, last, commands);
}

}  // namespace memd::cli
