#include "daemon/interchange/transcript.hpp"
#include "daemon/report/html_page.hpp"
#include "daemon/tools/answer.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/harmless.hpp"
#include "store/text/text_units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace memd::interchange {
namespace {

using report::escape_html;

// Returns a line of prose as escaped HTML, with `…` as code and **…** as strong.
std::string prose_line(std::string_view line) {
  struct Span {
    std::string_view mark;
    std::string_view tag;
    std::size_t open = 0;
    std::size_t close = 0;
  };
  std::array spans{Span{"`", "code"}, Span{"**", "strong"}};
  // Each mark is searched again only after it was passed: a pasted line may be a megabyte long.
  const auto find_next = [&](Span& span, std::size_t from) {
    span.open = line.find(span.mark, from);
    if (span.open == std::string_view::npos) return;
    span.close = line.find(span.mark, span.open + span.mark.size() + 1);
    if (span.close == std::string_view::npos) span.open = std::string_view::npos;
  };
  for (Span& span : spans)
    find_next(span, 0);
  std::string out;
  std::size_t at = 0;
  while (true) {
    for (Span& span : spans)
      if (span.open < at) find_next(span, at);
    const Span& first =
        *std::min_element(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.open < b.open; });
    if (first.open == std::string_view::npos) break;
    const auto begin = first.open + first.mark.size();
    out += escape_html(line.substr(at, first.open - at));
    out += fmt::format("<{0}>{1}</{0}>", first.tag, escape_html(line.substr(begin, first.close - begin)));
    at = first.close + first.mark.size();
  }
  return out + escape_html(line.substr(at));
}

bool is_heading(std::string_view line) {
  const auto level = line.find_first_not_of('#');
  return level != std::string_view::npos && level > 0 && level <= 6 && line[level] == ' ';
}

// Renders the part of Markdown that makes an answer readable: code blocks, paragraphs, headings, inline code.
std::string prose(std::string_view text) {
  std::string out;
  bool paragraph = false;
  const auto end_paragraph = [&] {
    if (std::exchange(paragraph, false)) out += "</p>\n";
  };
  FenceTracker fences;
  while (!text.empty()) {
    const std::string_view line = ascii::take_until(text, '\n');
    const bool was_open = fences.is_open();
    fences.line(line);
    if (was_open != fences.is_open()) {
      end_paragraph();
      out += was_open ? "</code></pre>\n" : "<pre><code>";
    } else if (was_open) {
      out += escape_html(line) + "\n";
    } else if (line.find_first_not_of(" \t\r") == std::string_view::npos) {
      end_paragraph();
    } else if (is_heading(line)) {
      end_paragraph();
      out += "<p class=\"heading\">" + prose_line(line.substr(line.find(' ') + 1)) + "</p>\n";
    } else {
      out += paragraph ? "\n" : "<p>";
      paragraph = true;
      out += prose_line(line);
    }
  }
  end_paragraph();
  if (fences.is_open()) out += "</code></pre>\n";
  return out;
}

std::string block(std::string_view text) { return "<pre><code>" + escape_html(text) + "</code></pre>\n"; }

class HtmlWriter final : public TranscriptWriter {
 public:
  explicit HtmlWriter(WriteLine line)
      : line_([line = std::move(line)](std::string_view text) { return line(harmless(text)); }) {}

  Result<void> begin(const SessionRow& s) override {
    const std::string title = s.title.empty() ? s.uid : s.title;
    agent_ = escape_html(name_of(s.platform));
    if (!std::exchange(begun_, true)) {
      page_.title = title;
      page_.styles = {"page.css", "session.css"};
      page_.scripts = {"theme.js", "session.js"};
      MEMD_TRY(line_(report::page_head(page_) + std::string(report::page_file("session.html"))));
    }
    std::string out =
        fmt::format("<section class=\"card\">\n<h2 class=\"text\" dir=\"auto\">{}</h2>\n<dl class=\"facts\">\n",
                    escape_html(title));
    for (const auto& [name, value] : transcript_facts(s))
      out += fmt::format("<div><dt>{}</dt><dd class=\"text\">{}</dd></div>\n", escape_html(name), escape_html(value));
    return line_(out + "</dl>\n</section>");
  }

  Result<void> exchange(const TranscriptExchange& x) override {
    const std::string id = x.id == 0 ? "" : format_exchange_id(x.id);
    std::string head = "Before the first prompt";
    if (x.id != 0)
      head = fmt::format("<a href=\"#{0}\"><code>{0}</code></a> {1}{2}{3}", id, readable_time(x.started_at),
                         x.model.empty() ? "" : " · " + escape_html(x.model),
                         x.tool_calls == 0
                             ? ""
                             : fmt::format(" · {} tool call{}{}", x.tool_calls, x.tool_calls == 1 ? "" : "s",
                                           x.tool_errors == 0 ? "" : fmt::format(", {} failed", x.tool_errors)));
    MEMD_TRY(line_(fmt::format("<article class=\"card exchange\"{}>\n<h3 class=\"muted small\">{}</h3>",
                               id.empty() ? "" : fmt::format(" id=\"{}\"", id), head)));
    for (const TranscriptEntry& e : x.entries)
      if (tells_something(e)) MEMD_TRY(line_(entry(e)));
    return line_("</article>");
  }

  Result<void> end(const SessionRow&, const ExportReport& report) override {
    return line_("<p class=\"muted small provenance\">" + escape_html(provenance(report)) + "</p>");
  }

  Result<void> finish() override { return line_("</main>\n" + report::page_foot(page_)); }

 private:
  static std::string folded(std::string_view kind, std::string_view summary, std::string_view content) {
    return fmt::format("<details class=\"{}\"><summary><span class=\"text\">{}</span></summary>\n{}</details>", kind,
                       escape_html(ascii::one_line(summary)), content);
  }

  static std::string spoken(std::string_view kind, std::string_view who, const TranscriptEntry& e) {
    return fmt::format(
        "<div class=\"said {}\"><p class=\"who\">{}{}</p>\n<div class=\"text\" dir=\"auto\">\n{}</div></div>", kind,
        who, e.partial ? " <span class=\"muted\">in part: the record is gone</span>" : "", prose(e.text));
  }

  std::string entry(const TranscriptEntry& e) const {
    switch (e.kind) {
      case EntryKind::prompt: return spoken("user", "User", e);
      case EntryKind::intervention: return spoken("user", "User, meanwhile", e);
      case EntryKind::answer: return spoken("assistant", agent_, e);
      case EntryKind::thinking:
        return folded("thinking", "Thinking", "<div class=\"text\">" + prose(e.text) + "</div>");
      case EntryKind::result: return folded(e.is_error ? "call failed" : "call", "Result", block(e.text));
      case EntryKind::call: {
        std::string content = e.text.empty() ? "" : block(e.text);
        if (e.result)
          content += "<p class=\"who\">" + std::string(e.is_error ? "Error" : "Result") + "</p>" + block(*e.result);
        return folded(e.is_error ? "call failed" : "call",
                      (e.summary.empty() ? e.tool : e.summary) + (e.result || e.is_error ? "" : " (no result)"),
                      content);
      }
      case EntryKind::mark: {
        const std::string line = e.name + (e.summary.empty() ? "" : ": " + e.summary);
        if (!e.text.empty()) return folded("mark", line, block(e.text));
        return "<p class=\"mark muted small\">" + escape_html(ascii::one_line(line)) + "</p>";
      }
    }
    return {};
  }

  WriteLine line_;
  std::string agent_;  // its name, escaped
  report::HtmlPage page_;
  bool begun_ = false;
};

}  // namespace

std::unique_ptr<TranscriptWriter> html_writer(WriteLine line) { return std::make_unique<HtmlWriter>(std::move(line)); }

}  // namespace memd::interchange
