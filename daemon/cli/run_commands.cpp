// memd cmd: commands that agents ran. memd fix: what ended an error.
#include "daemon/cli/run_commands.hpp"

#include "daemon/cli/asking.hpp"
#include "daemon/cli/history_filter.hpp"
#include "daemon/cli/render/words.hpp"
#include "daemon/host/memory_host.hpp"
#include "daemon/host/settings.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/time.hpp"
#include "schemas/file_history.hpp"
#include "store/read/exchanges.hpp"
#include "store/read/projects.hpp"
#include "store/read/recall.hpp"
#include "store/reader.hpp"
#include "store/text/redaction/redactor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace memd::cli {
namespace {

struct RunOptions : TypedFilter {
  std::vector<std::string> words;
  std::optional<std::int64_t> count;
};

Result<CommandHistoryQuery::Found> find_runs(Reader& reader, const Invocation& call, const RunOptions& o, bool failed,
                                             std::int64_t usual) {
  constexpr std::int64_t kAll = 1'000'000'000;
  CommandHistoryQuery query;
  MEMD_TRY_ASSIGN(query.filter, history_filter(o, "--agent", call.settings.config));
  MEMD_TRY_ASSIGN(query.filter.project, reader.ask(ProjectFilterQuery{o.project}));
  query.words = o.words;
  query.failed = failed;
  query.limit = o.count.value_or(usual);
  if (query.limit == 0) query.limit = kAll;
  return reader.ask(query);
}

PastCommandOut past_command(const PastCommand& run) {
  return {run,
          run.line,
          format_rfc3339(run.last),
          std::string(to_string(run.platform)),
          run.session_uid,
          run.exchange == 0 ? "" : format_exchange_id(run.exchange)};
}

void show_run(Screen& screen, const PastCommandOut& run) {
  constexpr std::size_t kIndent = 4;
  constexpr std::size_t kLines = 4;
  screen.item();
  Line head = Line(run.turn, Style::id).add("  ").add(when(run.last, screen.look()), Style::faint);
  if (!run.directory.empty()) head.add("  ").add(short_path(run.directory), Style::name);
  head.add("  ").add(name_of(stored_platform(run.agent)), Style::faint);
  if (run.exit_code)
    head.add(fmt::format("  exit {}", *run.exit_code), run.failed ? Style::bad : Style::faint);
  else if (run.failed)
    head.add("  failed", Style::bad);
  if (run.times > 1) head.add("  " + with_noun(run.times, "time"), Style::faint);
  if (run.times > 1 && run.failures > 0) head.add(fmt::format(", {} failed", run.failures), Style::faint);
  screen.line(head.cut(screen.look().columns));
  screen.text(Line(ascii::one_line(run.command), Style::strong), kIndent, kLines);
}

void show_rest(Screen& screen, std::size_t shown, std::int64_t total) {
  if (const auto n = static_cast<std::int64_t>(shown); n < total)
    screen.blank().line(Line(fmt::format("{} of {}: -n 0 for all", n, total), Style::faint));
}

Result<int> show_commands(const Invocation& call, const RunOptions& o) {
  constexpr std::int64_t kUsual = 20;
  Reader reader(call.settings.layout.database());
  MEMD_TRY_ASSIGN(const auto found, find_runs(reader, call, o, false, kUsual));
  PastCommandsReport report;
  report.total = found.total;
  for (const PastCommand& run : found.commands)
    report.commands.push_back(past_command(run));
  if (call.as_json) return print_json(call, report);
  Screen screen(call.look);
  if (report.commands.empty()) screen.line("No command with these words was run");
  for (const PastCommandOut& run : report.commands)
    show_run(screen, run);
  show_rest(screen, report.commands.size(), report.total);
  return finish(screen);
}

constexpr std::size_t kLinesOfError = 8;
constexpr std::size_t kLinesOfEnd = 16;

std::string first_lines(std::string_view text, std::size_t most) {
  std::size_t end = 0;
  for (std::size_t lines = 0; lines < most && end != std::string_view::npos; ++lines)
    end = text.find('\n', end + (lines > 0));
  return end == std::string_view::npos ? std::string(text) : std::string(text.substr(0, end)) + "\n…";
}

// Returns what the tool said from the line on that tells the error; what the store has of it if the record is gone.
std::string error_of_run(Reader& reader, const SourceText& texts, const PastCommand& run) {
  const auto where = reader.ask(EventSourceQuery{run.session_pk, run.result_seq});
  if (!where) return run.result;
  auto said = texts.event_text(*where, EventKind::tool_result);
  if (!said || said->empty()) return run.result;
  redact(*said);
  const std::size_t begin = error_begin(*said);
  return first_lines(std::string_view(*said).substr(begin == std::string::npos ? 0 : begin), kLinesOfError);
}

// Returns the changed lines of edits; empty: no record has them.
std::string changes_of(Reader& reader, const SourceText& texts, std::int64_t session_pk,
                       const std::vector<std::int64_t>& edits) {
  std::string out;
  for (const std::int64_t seq : edits) {
    const auto where = reader.ask(EventSourceQuery{session_pk, seq});
    if (!where) continue;
    const auto recorded = texts.recorded_edits(*where);
    if (!recorded) continue;
    for (const RecordedEdit& edit : *recorded) {
      out += (out.empty() ? "" : "\n") + edit.path;
      for (const EditHunk& hunk : edit.hunks)
        out += "\n" + hunk.text;
    }
  }
  redact(out);
  return first_lines(out, kLinesOfEnd);
}

// Adds where the error was met and what ended it.
Result<FailureOut> with_its_end(Reader& reader, const SourceText& texts, const PastCommand& run) {
  FailureOut out{past_command(run), error_of_run(reader, texts, run), {}, {}, {}, {}};
  MEMD_TRY_ASSIGN(const auto end, reader.ask(FailureEndQuery{run.session_pk, run.seq}));
  if (end) {
    out.met_in = out.run.turn;
    out.ended_by = end->text;
    out.ended_in = format_exchange_id(end->exchange);
    std::string how = end->command.empty() ? changes_of(reader, texts, run.session_pk, end->edits)
                                           : first_lines(end->command, kLinesOfEnd);
    if (!how.empty()) out.ended_how = std::move(how);
    return out;
  }
  MEMD_TRY_ASSIGN(const auto known, reader.ask(ErrorRecallQuery{{run.directory, {}}, run.result}));
  for (const Recalled& one : known) {
    if (one.kind == RecalledKind::met_error) out.met_in = format_exchange_id(one.exchange);
    if (one.kind != RecalledKind::solved) continue;
    out.ended_by = one.text;
    out.ended_in = format_exchange_id(one.exchange);
  }
  return out;
}

Result<int> show_failures(const Invocation& call, const RunOptions& o) {
  constexpr std::size_t kIndent = 4;
  Reader reader(call.settings.layout.database());
  const SourceText texts(call.settings.layout, raw::FrameSeal(call.settings.cipher));
  MEMD_TRY_ASSIGN(const auto found, find_runs(reader, call, o, true, o.words.empty() ? 1 : 5));
  FailuresReport report;
  report.total = found.total;
  for (const PastCommand& run : found.commands) {
    MEMD_TRY_ASSIGN(FailureOut one, with_its_end(reader, texts, run));
    report.failures.push_back(std::move(one));
  }
  if (call.as_json) return print_json(call, report);
  Screen screen(call.look);
  if (report.failures.empty()) screen.line("No failed command with these words");
  for (const FailureOut& one : report.failures) {
    show_run(screen, one.run);
    if (!one.error.empty()) screen.paragraphs(one.error, kIndent, Style::bad);
    Line end(one.ended_by ? "ended by " : "no end of it is known", one.ended_by ? Style::good : Style::faint);
    if (one.ended_by) end.add(*one.ended_by).add("  ").add(*one.ended_in, Style::id);
    if (one.met_in && *one.met_in != one.run.turn) end.add("  met in ", Style::faint).add(*one.met_in, Style::id);
    screen.text(end, kIndent, 3);
    for (const Line& line : changed_lines(one.ended_how.value_or("")))
      screen.line(Line("      ").append(line).cut(screen.look().columns));
  }
  show_rest(screen, report.failures.size(), report.total);
  return finish(screen);
}

void take_run_options(Command& c, RunOptions& o, std::string words, std::string rows) {
  c.options = {{"words", &o.words, std::move(words)}, rows_option(&o.count, std::move(rows))};
  take_filters(c, o, &o.since);
}

}  // namespace

std::vector<Command> run_commands() {
  const auto asked = std::make_shared<RunOptions>();
  Command cmd{"cmd", "Commands that agents ran: where, when, and whether they failed"};
  cmd.json_schema = schema_of<PastCommandsReport>(cmd.name);
  take_run_options(cmd, *asked, "Words of the command; none: the last ones", "How many (20); 0: all");
  cmd.run = [asked](const Invocation& call) { return show_commands(call, *asked); };

  const auto failed = std::make_shared<RunOptions>();
  Command fix{"fix", "What ended an error: the commands that failed with it, and what was done before they passed"};
  fix.json_schema = schema_of<FailuresReport>(fix.name);
  take_run_options(fix, *failed, "Words of the command or of its error; none: the last failed command",
                   "How many (5, without words 1); 0: all");
  fix.run = [failed](const Invocation& call) { return show_failures(call, *failed); };
  return {std::move(cmd), std::move(fix)};
}

}  // namespace memd::cli
