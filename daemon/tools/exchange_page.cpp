#include "daemon/tools/exchange_page.hpp"

#include "daemon/tools/summary_source.hpp"
#include "schemas/ascii.hpp"
#include "store/insight/summary/decisions.hpp"
#include "store/read/exchanges.hpp"
#include "store/text/code_snippets.hpp"
#include "store/text/redaction/redactor.hpp"
#include "store/text/token_budget.hpp"

#include <algorithm>
#include <array>

namespace memd::tools {
namespace {

constexpr std::size_t kFilesListed = 40;
constexpr std::size_t kLoadAhead = 12;  // exchanges; a page hardly holds more
constexpr int kEventsAhead = 200;       // events of one exchange a page can hold
constexpr std::size_t kToolTextTokens = 120;
constexpr std::size_t kRawTextTokens = 3000;
constexpr std::size_t kLeastAdvance = 200;  // bytes

std::int64_t text_bytes(const ExchangeRow& row) {
  return static_cast<std::int64_t>(row.user_message.size() + row.interventions.size() + row.assistant_response.size());
}

bool is_shown(const EventRow& e, bool raw) {
  switch (e.kind) {
    case EventKind::user_msg:
    case EventKind::assistant_msg: return false;  // they are the exchange's texts
    case EventKind::thinking: return raw;
    default: return true;
  }
}

bool has_text(EventKind kind) {
  return kind == EventKind::tool_call || kind == EventKind::tool_result || kind == EventKind::thinking;
}

// Its first `shown` items, and how many are not shown.
void keep_first(std::optional<std::vector<std::string>>& list, std::size_t shown) {
  if (!list || list->size() <= shown) return;
  const std::string rest = "… " + std::to_string(list->size() - shown) + " more";
  list->resize(shown);
  list->push_back(rest);
}

// In a small answer lists give way to the texts.
void shorten_lists(ExchangeOut& out, std::size_t tokens) {
  for (const std::size_t shown : {16, 4, 0}) {
    if (estimate_tokens(mcp::to_json(out)) <= tokens) return;
    const auto files = out.files_referenced;
    const auto decisions = out.decisions_made;
    keep_first(out.decisions_made, shown);
    if (estimate_tokens(mcp::to_json(out)) > tokens) keep_first(out.files_referenced, shown);
    if (estimate_tokens(mcp::to_json(out)) <= tokens || shown == 0) return;
    out.files_referenced = files;  // so that what is told of the rest counts all of it
    out.decisions_made = decisions;
  }
}

template <class T>
std::optional<T> unless_empty(T value) {
  if (value.empty()) return std::nullopt;
  return value;
}

}  // namespace

ExchangePager::ExchangePager(const ToolServices& services, Reader& reader, std::span<const ExchangeRow> rows,
                             ExchangePageOptions options)
    : services_(services), reader_(reader), rows_(rows), options_(options), extras_(rows.size()) {
  options_.tools = options_.tools || options_.raw;
}

Result<void> ExchangePager::load(const PageCursor& from) {
  const auto first = static_cast<std::size_t>(from.offset);
  for (std::size_t i = first; i < std::min(rows_.size(), first + kLoadAhead); ++i)
    MEMD_TRY(load_one(i, i == first ? from.part : 0));
  return {};
}

Result<void> ExchangePager::load_one(std::size_t index, std::int64_t part) {
  const ExchangeRow& row = rows_[index];
  Extra& extra = extras_[index];
  extra.loaded = true;
  MEMD_TRY_ASSIGN(const auto files, reader_.ask(ExchangeFilesQuery{row.session_pk, row.number}));
  for (const ExchangeFile& file : files)
    if (extra.files.size() < kFilesListed &&
        std::find(extra.files.begin(), extra.files.end(), file.path) == extra.files.end())
      extra.files.push_back(file.path);
  if (options_.raw)
    if (const auto source = reader_.ask(EventSourceQuery{row.session_pk, row.first_seq}))
      extra.source_path = source->path;
  if (options_.tools) {
    extra.first_event = row.first_seq + std::max<std::int64_t>(part - text_bytes(row), 0);
    MEMD_TRY_ASSIGN(extra.events,
                    reader_.ask(EventsQuery{row.session_pk, extra.first_event, row.last_seq, kEventsAhead}));
    extra.more_events = extra.events.size() == static_cast<std::size_t>(kEventsAhead);
    extra.texts.resize(extra.events.size());
  }
  return {};
}

ExchangeOut ExchangePager::head_of(std::size_t index, bool first_page) const {
  const ExchangeRow& row = rows_[index];
  const Extra& extra = extras_[index];
  ExchangeOut out;
  out.exchange_id = format_exchange_id(row.id);
  out.session_id = row.session_uid;
  out.platform = to_string(row.platform);
  out.timestamp = format_rfc3339(row.started_at);
  out.data_completeness = to_string(row.completeness);
  out.exchange_number = row.number;
  out.full_tokens = full_text_tokens(row);
  if (!first_page) return out;
  out.session_name = cut_to_tokens(ascii::one_line(row.session_title), 30).text;
  out.origin = to_string(row.origin);
  out.git_branch = unless_empty(row.git_branch);
  out.working_directory = unless_empty(row.working_directory);
  out.files_referenced = unless_empty(extra.files);
  out.decisions_made = unless_empty(find_decisions(row.assistant_response));
  out.tokens_input = row.tokens.input;
  out.tokens_output = row.tokens.output;
  out.model_used = unless_empty(row.model_used);
  out.tool_calls = row.tool_calls;
  out.tool_errors = row.tool_errors;
  out.lines_added = row.lines_added;
  out.lines_removed = row.lines_removed;
  out.raw_format_version = unless_empty(row.raw_format_version);
  out.adapter_version = unless_empty(row.adapter_version);
  out.ingestion_timestamp = format_rfc3339(row.ingested_at);
  out.source_path = unless_empty(extra.source_path);
  return out;
}

// False: the page is full.
bool ExchangePager::add_texts(const ExchangeRow& row, ExchangeOut& out, std::int64_t& part, std::size_t& left,
                              bool must_advance) {
  struct Segment {
    std::string_view text;
    std::optional<std::string> ExchangeOut::*field;
  };
  const std::array segments{Segment{row.user_message, &ExchangeOut::user_message},
                            Segment{row.interventions, &ExchangeOut::interventions},
                            Segment{row.assistant_response, &ExchangeOut::assistant_response}};
  std::int64_t begin = 0;
  for (const Segment& s : segments) {
    const std::int64_t end = begin + static_cast<std::int64_t>(s.text.size());
    if (part < end) {
      const std::string_view rest = s.text.substr(static_cast<std::size_t>(part - begin));
      CutText cut = cut_to_tokens(rest, left);
      if (cut.cut && cut.kept_bytes == 0 && must_advance) {
        std::size_t n = std::min(kLeastAdvance, rest.size());
        while (n < rest.size() && (static_cast<unsigned char>(rest[n]) & 0xC0U) == 0x80U)
          ++n;
        cut.text = std::string(rest.substr(0, n)) + (n < rest.size() ? "…" : "");
        cut.kept_bytes = n;
        cut.cut = n < rest.size();
      }
      left -= std::min(left, cut.tokens);
      part += static_cast<std::int64_t>(cut.kept_bytes);
      if (!cut.text.empty()) out.*(s.field) = std::move(cut.text);
      if (cut.cut) return false;
      must_advance = false;
    }
    begin = end;
  }
  return true;
}

std::string ExchangePager::event_text(const ExchangeRow& row, const EventRow& event) {
  const auto where = reader_.ask(EventSourceQuery{row.session_pk, event.seq});
  if (!where) return {};
  auto text = services_.raw_text.event_text(*where, event.kind);
  if (!text) return {};  // the summary has to do: the agent may have purged the file
  redact(*text);
  return std::move(*text);
}

bool ExchangePager::add_events(std::size_t index, ExchangeOut& out, std::int64_t& part, std::size_t& left,
                               bool must_advance, bool& shortened) {
  const ExchangeRow& row = rows_[index];
  Extra& extra = extras_[index];
  const std::int64_t begin = text_bytes(row);
  std::vector<EventOut> events;
  bool full = false;
  for (std::size_t i = 0; i < extra.events.size(); ++i) {
    const EventRow& e = extra.events[i];
    const std::int64_t here = begin + (e.seq - row.first_seq);
    if (here < part || !is_shown(e, options_.raw)) continue;
    EventOut one;
    one.seq = e.seq;
    one.time = format_rfc3339(e.time);
    one.kind = to_string(e.kind);
    one.tool = unless_empty(e.tool);
    one.summary = cut_to_tokens(ascii::one_line(e.summary), 60).text;
    one.is_error = e.is_error;
    if (options_.raw) {
      one.raw_offset = static_cast<std::int64_t>(e.raw.offset);
      one.raw_length = e.raw.length;
    }
    const std::size_t fixed = estimate_tokens(mcp::to_json(one)) + 4;
    if (fixed > left && !(must_advance && events.empty())) {
      full = true;
      part = here;
      break;
    }
    left -= std::min(left, fixed);
    if (has_text(e.kind)) {
      if (!extra.texts[i]) extra.texts[i] = event_text(row, e);
      const CutText cut =
          cut_to_tokens(*extra.texts[i], std::min(left, options_.raw ? kRawTextTokens : kToolTextTokens));
      left -= std::min(left, cut.tokens);
      shortened = shortened || cut.cut;
      if (!cut.text.empty() && cut.text != one.summary) one.text = cut.text;
    }
    events.push_back(std::move(one));
    part = here + 1;
  }
  if (!events.empty()) out.events = std::move(events);
  if (!full && extra.more_events) {
    part = begin + extra.events.back().seq - row.first_seq + 1;
    return false;
  }
  return !full;
}

ExchangePager::Page ExchangePager::make(const PageCursor& from, std::size_t tokens) {
  Page page;
  std::size_t left = tokens;
  for (auto i = static_cast<std::size_t>(from.offset); i < rows_.size(); ++i) {
    std::int64_t part = page.exchanges.empty() ? from.part : 0;
    const std::int64_t started = part;
    const bool must_advance = page.exchanges.empty();
    ExchangeOut out = head_of(i, part == 0);
    if (must_advance) shorten_lists(out, tokens / 2);
    const std::size_t fixed = estimate_tokens(mcp::to_json(out)) + 12;
    constexpr std::size_t kLeastText = 40;
    if (!extras_[i].loaded || (!must_advance && fixed + kLeastText > left)) {
      page.next = PageCursor{static_cast<std::int64_t>(i), 0};
      return page;
    }
    left -= std::min(left, fixed);
    bool whole = add_texts(rows_[i], out, part, left, must_advance);
    if (whole && options_.tools)
      whole = add_events(i, out, part, left, must_advance && part == started, page.texts_shortened);
    if (whole && started == 0) {
      std::vector<std::string> snippets;
      for (CodeSnippet& s : code_snippets(rows_[i].assistant_response)) {
        const std::size_t cost = estimate_tokens(s.code) + 4;
        if (s.code.empty() || cost > left / 2) break;
        left -= cost;
        snippets.push_back(std::move(s.code));
      }
      out.code_snippets = unless_empty(std::move(snippets));
    }
    out.complete = whole;
    page.exchanges.push_back(std::move(out));
    if (!whole) {
      page.next = PageCursor{static_cast<std::int64_t>(i), part};
      return page;
    }
  }
  return page;
}

}  // namespace memd::tools
