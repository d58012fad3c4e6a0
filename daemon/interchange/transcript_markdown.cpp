#include "daemon/interchange/transcript.hpp"
#include "daemon/report/html_page.hpp"
#include "daemon/tools/answer.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/harmless.hpp"
#include "store/text/text_units.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memd::interchange {
namespace {

// Returns the text in a fence longer than any backtick run in it, so that nothing inside ends the block.
std::string fenced(std::string_view text) {
  std::size_t longest = 2;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  return fence + "\n" + std::string(text) + (text.ends_with('\n') ? "" : "\n") + fence + "\n";
}

// Returns the agent's text, with an unclosed code block closed.
std::string closed(std::string_view text) {
  const FenceTracker fences = fences_of(text);
  std::string out(text);
  if (fences.is_open()) out += (text.ends_with('\n') ? "" : "\n") + fences.closing();
  return out;
}

std::string block_quote(std::string_view text) {
  std::string out = "> ";
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "> ";
  }
  return out;
}

// Returns inline text with the markup of Markdown and HTML escaped.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : ascii::one_line(text)) {
    if (std::string_view("\\`*_[]<>|#~&!").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

class MarkdownWriter final : public TranscriptWriter {
 public:
  explicit MarkdownWriter(WriteLine line)
      : line_([line = std::move(line)](std::string_view text) { return line(harmless(text)); }) {}

  Result<void> begin(const SessionRow& s) override {
    agent_ = plain(name_of(s.platform));
    std::string out = fmt::format("# {}\n\n| | |\n|---|---|\n", plain(s.title.empty() ? s.uid : s.title));
    for (const auto& [name, value] : transcript_facts(s))
      out += fmt::format("| {} | {} |\n", name, plain(value));
    return line_(out);
  }

  Result<void> exchange(const TranscriptExchange& x) override {
    if (x.id != 0)
      MEMD_TRY(line_(
          fmt::format("## {}. {}{}\n", x.number + 1, readable_time(x.started_at),
                      " · `" + format_exchange_id(x.id) + "`" + (x.model.empty() ? "" : " · " + plain(x.model)))));
    for (const TranscriptEntry& e : x.entries)
      if (tells_something(e)) MEMD_TRY(line_(entry(e)));
    return {};
  }

  Result<void> end(const SessionRow&, const ExportReport& report) override {
    return line_("---\n\n" + provenance(report) + "\n");
  }
  Result<void> finish() override { return {}; }

 private:
  static std::string folded(std::string_view summary, std::string_view content) {
    return fmt::format("<details><summary>{}</summary>\n\n{}\n</details>\n",
                       report::escape_html(ascii::one_line(summary)), content);
  }

  std::string entry(const TranscriptEntry& e) const {
    const std::string_view gone = e.partial ? " (in part: the record is gone)" : "";
    switch (e.kind) {
      case EntryKind::prompt: return fmt::format("**User**{}\n\n{}\n", gone, block_quote(e.text));
      case EntryKind::intervention: return fmt::format("**User, meanwhile**{}\n\n{}\n", gone, block_quote(e.text));
      case EntryKind::answer: return fmt::format("**{}**{}\n\n{}\n", agent_, gone, closed(e.text));
      case EntryKind::thinking: return folded("Thinking", fenced(e.text));
      case EntryKind::result: return folded("Result" + std::string(e.is_error ? " (error)" : ""), fenced(e.text));
      case EntryKind::call: {
        std::string content = e.text.empty() ? "" : fenced(e.text);
        if (e.result) content += "\nResult" + std::string(e.is_error ? " (error)" : "") + ":\n\n" + fenced(*e.result);
        const std::string_view fate = e.is_error ? " (error)" : e.result ? "" : " (no result)";
        return folded((e.summary.empty() ? e.tool : e.summary) + std::string(fate) + std::string(gone), content);
      }
      case EntryKind::mark: {
        if (e.text.empty())
          return fmt::format("*{}{}*\n", plain(e.name), e.summary.empty() ? "" : ": " + plain(e.summary));
        return folded(e.name + (e.summary.empty() ? "" : ": " + e.summary), fenced(e.text));
      }
    }
    return {};
  }

  WriteLine line_;
  std::string agent_;  // its name, escaped
};

}  // namespace

std::unique_ptr<TranscriptWriter> markdown_writer(WriteLine line) {
  return std::make_unique<MarkdownWriter>(std::move(line));
}

}  // namespace memd::interchange
