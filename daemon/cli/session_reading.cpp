#include "daemon/cli/session_reading.hpp"

#include "daemon/cli/asking.hpp"
#include "daemon/cli/render/words.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/interchange/transcript.hpp"
#include "schemas/base/time.hpp"
#include "schemas/ids.hpp"
#include "store/read/exchanges.hpp"
#include "store/read/session_rows.hpp"
#include "store/read/sessions.hpp"
#include "store/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace memd::cli {
namespace {

using interchange::EntryKind;
using interchange::TranscriptEntry;
using interchange::TranscriptExchange;

constexpr std::size_t kTextIndent = 2;
constexpr std::size_t kToolIndent = 4;

// Draws a transcript on a screen.
class ReadingWriter final : public interchange::TranscriptWriter {
 public:
  ReadingWriter(Screen& screen, ToolDetail tools, std::vector<SessionRow> subagents)
      : screen_(screen), tools_(tools), subagents_(std::move(subagents)) {}

  Result<void> begin(const SessionRow& s) override {
    screen_.text(Line(s.title.empty() ? s.uid : s.title, Style::strong));
    Line facts(name_of(s.platform), Style::faint);
    const auto fact = [&](const std::string& text) {
      if (!text.empty()) facts.add("  ·  " + text, Style::faint);
    };
    fact(short_path(s.cwd));
    fact(s.git_branch);
    fact(s.model);
    fact(with_noun(s.exchanges, "turn"));
    fact(with_noun(s.tool_calls, "tool call") + (s.tool_errors > 0 ? fmt::format(" ({} failed)", s.tool_errors) : ""));
    fact(session_name(s.uid, screen_.look()));
    screen_.text(facts);
    return {};
  }

  Result<void> exchange(const TranscriptExchange& x) override {
    if (screen_.is_closed()) return {};
    name_subagents(x.started_at);
    part_.clear();
    if (x.id != 0)
      screen_.blank().line(Line(format_exchange_id(x.id), Style::id)
                               .add("  ")
                               .add(when_exactly(format_rfc3339(x.started_at), screen_.look()), Style::faint));
    for (const TranscriptEntry& e : x.entries) {
      name_subagents(e.time);
      entry(e);
    }
    return {};
  }

  Result<void> end(const SessionRow&, const interchange::ExportReport& report) override {
    name_subagents(std::numeric_limits<TimeMs>::max());
    if (report.partial > 0)
      screen_.blank().text(Line("The agent's records of " + with_noun(report.partial, "event") +
                                    " are gone: they are as far as the store kept them.",
                                Style::warning));
    return {};
  }
  Result<void> finish() override { return {}; }

 private:
  void heading(std::string_view who) {
    if (part_ != who) screen_.blank();
    if (part_ != who && !who.empty()) screen_.line(Line(who, Style::strong));
    part_ = who;
  }

  void words(std::string_view who, std::string_view text, Style style = Style::plain) {
    heading(who);
    screen_.paragraphs(text, kTextIndent, style);
  }

  void detail(std::string_view text) {
    constexpr std::size_t kLines = 12;
    if (tools_ == ToolDetail::line || text.empty()) return;
    std::size_t end = 0;
    for (std::size_t lines = 0; tools_ == ToolDetail::shortened && end != std::string_view::npos && lines < kLines;
         ++lines)
      end = text.find('\n', end == 0 ? 0 : end + 1);
    const bool cut = tools_ == ToolDetail::shortened && end != std::string_view::npos;
    screen_.paragraphs(cut ? text.substr(0, end) : text, kToolIndent, Style::faint);
    if (cut) screen_.line(Line("    …", Style::faint));
  }

  void tool_line(std::string_view name, std::string_view text, bool failed) {
    if (part_ != kTools) screen_.blank();
    part_ = kTools;
    Line line("  ", Style::faint);
    line.add(name, Style::name).add(name.empty() ? "" : "  ").add(text, Style::faint);
    if (failed) line.add("  failed", Style::bad);
    screen_.line(line.cut(screen_.look().columns));
  }

  void entry(const TranscriptEntry& e) {
    switch (e.kind) {
      case EntryKind::prompt: return words("You", e.text);
      case EntryKind::intervention: return words("You, meanwhile", e.text);
      case EntryKind::answer: return words("Agent", e.text);
      case EntryKind::thinking:
        if (tools_ == ToolDetail::whole) words("Thinking", e.text, Style::faint);
        return;
      case EntryKind::call: {
        std::string_view what = e.summary;
        if (what.starts_with(e.tool))
          what.remove_prefix(std::min(what.find_first_not_of(": ", e.tool.size()), what.size()));
        tool_line(e.tool, what, e.is_error);
        detail(e.text);
        return detail(e.result.value_or(""));
      }
      case EntryKind::result: tool_line(e.tool, "result", e.is_error); return detail(e.text);
      case EntryKind::mark:
        if (e.name == "decision") return;  // it is in the text
        tool_line("", e.summary.empty() ? e.name : e.name + ": " + e.summary, e.is_error);
        return detail(e.text);
    }
  }

  // Names those that started before `time` and have not been named.
  void name_subagents(TimeMs time) {
    for (; named_ < subagents_.size() && subagents_[named_].started_at <= time; ++named_) {
      const SessionRow& s = subagents_[named_];
      if (part_ != kTools) screen_.blank();
      part_ = kTools;
      screen_.line(Line("  subagent ", Style::good)
                       .add(session_name(s.uid, screen_.look()), Style::id)
                       .add("  ")
                       .add(s.agent_name, Style::name)
                       .add(s.agent_name.empty() ? "" : "  ")
                       .add(s.title)
                       .cut(screen_.look().columns));
    }
  }

  static constexpr std::string_view kTools = "tools";
  Screen& screen_;
  const ToolDetail tools_;
  const std::vector<SessionRow> subagents_;  // in order of start
  std::size_t named_ = 0;
  std::string part_;  // printed last: "You", "Agent", kTools, …
};

}  // namespace

Result<int> read_session(const Invocation& call, const SessionReading& wanted) {
  Reader reader(call.settings.layout.database());
  RecordFinder records(call.settings.layout.database(), call.settings.layout.raw_dir(),
                       raw::FrameSeal(call.settings.cipher));
  MEMD_TRY_ASSIGN(const SessionRow session, reader.ask(SessionQuery{wanted.session}));
  MEMD_TRY_ASSIGN(auto subagents, reader.ask(SubagentsQuery{session.uid}));
  Screen screen(call.look);
  ReadingWriter drawn(screen, wanted.tools, std::move(subagents));
  const auto markdown = interchange::markdown_writer([&](std::string_view line) -> Result<void> {
    screen.as_it_is(std::string(line) + "\n");
    return {};
  });
  MEMD_TRY(interchange::write_transcript(reader, records, session, wanted.as_markdown ? *markdown : drawn, {}));
  return finish(screen);
}

Result<std::vector<std::string>> turns_of_session(const Invocation& call, const std::string& session) {
  Reader reader(call.settings.layout.database());
  MEMD_TRY_ASSIGN(const SessionRow row, reader.ask(SessionQuery{session}));
  MEMD_TRY_ASSIGN(const auto turns,
                  reader.ask(ExchangeRangeQuery{row.pk, 0, std::numeric_limits<std::int64_t>::max()}));
  std::vector<std::string> out;
  for (const ExchangeRow& turn : turns)
    out.push_back(format_exchange_id(turn.id));
  return out;
}

bool names_turn(const std::string& text) { return parse_exchange_id(text) || parse_exchange_name(text); }

}  // namespace memd::cli
