#include "daemon/tools/get_exchange.hpp"

#include "daemon/tools/reading.hpp"
#include "daemon/tools/scope.hpp"
#include "daemon/tools/summary_source.hpp"
#include "daemon/tools/team_asker.hpp"
#include "daemon/tools/tool_services.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/time.hpp"
#include "schemas/base/utf8.hpp"
#include "store/read/exchanges.hpp"
#include "store/read/observations.hpp"
#include "store/search/topic_index.hpp"
#include "store/text/redaction/redactor.hpp"
#include "store/text/text_units.hpp"
#include "store/text/token_budget.hpp"

#include <algorithm>
#include <array>
#include <memory>

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

struct ExchangePageOptions {
  bool tools = false;
  bool raw = false;
  bool in_order = false;  // the agent's words among the events
};

bool is_shown(const EventRow& e, const ExchangePageOptions& options) {
  switch (e.kind) {
    case EventKind::user_msg: return false;  // it is a text of the exchange
    case EventKind::assistant_msg: return options.in_order;
    case EventKind::thinking: return options.raw;
    case EventKind::decision: return !e.has(kFlagDerived);  // from a sentence, by an earlier version
    default: return true;
  }
}

bool has_text(EventKind kind) {
  return kind == EventKind::tool_call || kind == EventKind::tool_result || kind == EventKind::thinking ||
         kind == EventKind::assistant_msg;
}

// Keeps the first `shown` items and adds an item that counts the others.
void keep_first(std::optional<std::vector<std::string>>& list, std::size_t shown) {
  if (!list || list->size() <= shown) return;
  const std::string rest = "… " + std::to_string(list->size() - shown) + " more";
  list->resize(shown);
  list->push_back(rest);
}

void keep_first_decisions(ExchangeOut& out, std::size_t shown) {
  if (!out.decisions_made || out.decisions_made->size() <= shown) return;
  out.decisions_left_out = static_cast<std::int64_t>(out.decisions_made->size() - shown);
  out.decisions_made->resize(shown);
}

// Shortens the lists of a small answer, so that texts have room.
void shorten_lists(ExchangeOut& out, std::size_t tokens) {
  for (const std::size_t shown : {16, 4, 0}) {
    if (estimate_tokens(mcp::to_json(out)) <= tokens) return;
    if (shown < 16) out.topics = std::nullopt;
    const auto files = out.files_referenced;
    const auto decisions = out.decisions_made;
    const auto left_out = out.decisions_left_out;
    keep_first_decisions(out, shown);
    if (estimate_tokens(mcp::to_json(out)) > tokens) keep_first(out.files_referenced, shown);
    if (estimate_tokens(mcp::to_json(out)) <= tokens || shown == 0) return;
    out.files_referenced = files;  // the next try shortens the whole list, so that its count is right
    out.decisions_made = decisions;
    out.decisions_left_out = left_out;
  }
}

// Cuts a list of exchanges into pages. PageCursor::part counts the bytes of an exchange's texts (question,
// interventions, answer), then its events. Caches what it read, so that a page can be made again smaller. Borrows its
// arguments; one thread.
class ExchangePager {
 public:
  ExchangePager(const ToolServices& services, Reader& reader, std::span<const ExchangeRow> rows,
                ExchangePageOptions options);

  // Reads what the texts of the page need besides the rows. Call once before make().
  Result<void> load(const PageCursor& from);

  struct Page {
    std::vector<ExchangeOut> exchanges;
    std::optional<PageCursor> next;
    bool texts_shortened = false;  // texts of events; no later page has the rest
  };
  // Returns at least a little of one exchange, however few the tokens.
  Page make(const PageCursor& from, std::size_t tokens);

 private:
  struct Extra {
    bool loaded = false;
    std::vector<std::string> attachments;
    std::vector<std::string> files;
    std::vector<std::string> topics;
    std::vector<DecisionOut> decisions;
    bool is_gone = false;
    std::string source_path;
    std::vector<EventRow> events;  // from first_event on
    std::vector<std::optional<std::string>> texts;
    std::int64_t first_event = 0;  // seq
    bool more_events = false;
  };

  Result<void> load_one(std::size_t index, std::int64_t part);
  ExchangeOut head_of(std::size_t index, bool first_page) const;
  bool add_texts(const ExchangeRow& row, ExchangeOut& out, std::int64_t& part, std::size_t& left, bool must_advance);
  bool add_events(std::size_t index, ExchangeOut& out, std::int64_t& part, std::size_t& left, bool must_advance,
                  bool& shortened);
  std::string event_text(const ExchangeRow& row, const EventRow& event);
  std::size_t most_of_a_text() const {
    if (!options_.raw) return kToolTextTokens;
    return services_.defaults.whole ? kNoTokenLimit : kRawTextTokens;
  }

  const ToolServices& services_;
  Reader& reader_;
  std::span<const ExchangeRow> rows_;
  ExchangePageOptions options_;
  std::vector<Extra> extras_;
  const std::unique_ptr<RawText> texts_;
};

ExchangePager::ExchangePager(const ToolServices& services, Reader& reader, std::span<const ExchangeRow> rows,
                             ExchangePageOptions options)
    : services_(services),
      reader_(reader),
      rows_(rows),
      options_(options),
      extras_(rows.size()),
      texts_(services.raw_text.walk()) {
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
  MEMD_TRY_ASSIGN(extra.attachments, reader_.ask(AttachmentsQuery{row}));
  MEMD_TRY_ASSIGN(const auto files, reader_.ask(ExchangeFilesQuery{row.session_pk, row.number}));
  for (const ExchangeFile& file : files)
    if (extra.files.size() < kFilesListed &&
        std::find(extra.files.begin(), extra.files.end(), file.path) == extra.files.end())
      extra.files.push_back(file.path);
  MEMD_TRY_ASSIGN(const auto decisions, reader_.ask(ObservationsOfQuery{std::span(&row.id, 1)}));
  for (const PlacedObservation& one : decisions)
    extra.decisions.push_back(decision_out(one.observation, one.reversed_by));
  MEMD_TRY_ASSIGN(extra.topics, reader_.ask(ExchangeTopicsQuery{row.id}));
  if (const auto source = reader_.ask(EventSourceQuery{row.session_pk, row.first_seq})) {
    extra.is_gone = source->is_gone;
    if (options_.raw) extra.source_path = source->path;
  }
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
  static_cast<TurnRefOut&>(out) = turn_ref(row);
  out.session_id = row.session_uid;
  out.platform = to_string(row.platform);
  out.data_completeness = to_string(row.completeness);
  out.exchange_number = row.number;
  if (extra.is_gone) out.gone_from_source = true;
  out.full_tokens = full_text_tokens(row);
  if (!first_page) return out;
  out.session_name = short_line(row.session_title, 30);
  out.origin = to_string(row.origin);
  out.git_branch = unless_empty(row.git_branch);
  out.working_directory = unless_empty(row.cwd);
  out.attachments = unless_empty(extra.attachments);
  out.files_referenced = unless_empty(extra.files);
  std::vector<std::string> topics;
  for (const std::string& topic : extra.topics)
    topics.push_back(ascii::one_line(topic));
  out.topics = unless_empty(std::move(topics));
  out.decisions_made = unless_empty(extra.decisions);
  out.tokens_input = row.tokens.input;
  out.tokens_output = row.tokens.output;
  out.model_used = unless_empty(row.model);
  out.tool_calls = row.tool_calls;
  out.tool_errors = row.tool_errors;
  out.lines_added = row.lines_added;
  out.lines_removed = row.lines_removed;
  out.raw_format_version = unless_empty(row.agent_version);
  out.adapter_version = unless_empty(row.adapter_version);
  out.ingestion_timestamp = format_rfc3339(row.ingested_at);
  out.source_path = unless_empty(extra.source_path);
  return out;
}

// Returns false when the page is full.
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
        while (is_utf8_tail(rest, n))
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
  auto text = texts_->event_text(*where, event.kind);
  if (!text) return {};  // the summary has to suffice: the agent may have purged the file
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
    if (here < part || !is_shown(e, options_)) continue;
    EventOut one;
    one.seq = e.seq;
    one.time = format_rfc3339(e.time);
    one.kind = to_string(e.kind);
    one.tool = unless_empty(e.tool);
    one.summary = short_line(e.summary, 60);
    one.is_error = e.is_error();
    if ((e.flags & kFlagSidechain) != 0) one.is_sidechain = true;
    if (options_.raw || options_.in_order)
      one.parent_seq = e.kind == EventKind::tool_result && e.pair_seq ? e.pair_seq : e.parent_seq;
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
      const bool is_said = e.kind == EventKind::assistant_msg;
      const CutText cut = cut_to_tokens(*extra.texts[i], is_said ? left : std::min(left, most_of_a_text()));
      left -= std::min(left, cut.tokens);
      shortened = shortened || cut.cut;
      if (!cut.text.empty() && (is_said || cut.text != one.summary)) one.text = cut.text;
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

struct Selection {
  std::vector<ExchangeRow> rows;
  std::vector<std::string> missing;
};

// Adds an exchange with its neighbours, in order and without duplicates.
Result<void> add_with_neighbours(Reader& reader, const ExchangeRow& row, std::int64_t around, Selection& out) {
  std::vector<ExchangeRow> found;
  if (around > 0) {
    const int n = static_cast<int>(around);
    MEMD_TRY_ASSIGN(found, reader.ask(ExchangeRangeQuery::around(row.session_pk, row.number, n, n)));
  } else {
    found.push_back(row);
  }
  for (ExchangeRow& f : found)
    if (std::none_of(out.rows.begin(), out.rows.end(), [&](const ExchangeRow& r) { return r.id == f.id; }))
      out.rows.push_back(std::move(f));
  return {};
}

Result<Selection> select_by_ids(const ToolServices& services, Reader& reader, const GetExchangeParams& params) {
  Selection out;
  std::vector<ExchangeId> ids;
  std::vector<ExchangeRow> of_others;
  for (const std::string& text : params.ids) {
    if (const auto id = parse_exchange_id(text)) {
      ids.push_back(*id);
    } else if (const auto name = parse_exchange_name(text)) {  // as memories contain it
      const auto named = reader.ask(NamedExchangeQuery{*name});
      auto there = named || services.team == nullptr ? std::nullopt : services.team->look_up(reader, *name);
      if (!named && !there) return named.error();
      if (there) of_others.push_back(std::move(*there));
      ids.push_back(named ? *named : 0);
    } else {
      return Error(Errc::invalid_argument,
                   "ids: \"" + echo_of(text) +
                       "\" is no turn id, send ids like x42 as the other tools give them, or SESSION#3 as "
                       "memories do");
    }
  }
  MEMD_TRY_ASSIGN(const auto rows, reader.ask(ExchangesQuery{ids}));
  for (std::size_t i = 0, other = 0; i < ids.size(); ++i) {
    if (ids[i] == 0 && other < of_others.size()) {
      out.rows.push_back(std::move(of_others[other++]));
      continue;
    }
    const auto it = std::find_if(rows.begin(), rows.end(), [&](const ExchangeRow& r) { return r.id == ids[i]; });
    if (it == rows.end()) {
      out.missing.push_back(params.ids[i]);
      continue;
    }
    MEMD_TRY(add_with_neighbours(reader, *it, params.around, out));
  }
  if (out.rows.empty())
    return Error(Errc::not_found, "ids: there is no turn " + out.missing.front() +
                                      ", take ids from semantic_search, topic_search or recent_turns");
  return out;
}

Result<Selection> select_by_number(const ToolServices& services, Reader& reader, const GetExchangeParams& params) {
  MEMD_TRY_ASSIGN(const SessionRow session, find_session(services, reader, *params.session_id));
  MEMD_TRY_ASSIGN(const auto rows,
                  reader.ask(ExchangeRangeQuery{session.pk, *params.exchange_number, *params.exchange_number}));
  if (rows.empty())
    return Error(Errc::not_found, "exchange_number: " + session.uid + " has turns 0 to " +
                                      std::to_string(std::max<std::int64_t>(session.exchanges - 1, 0)) +
                                      ", send one of these");
  Selection out;
  MEMD_TRY(add_with_neighbours(reader, rows.front(), params.around, out));
  return out;
}

Result<Selection> select(const ToolServices& services, Reader& reader, const GetExchangeParams& params) {
  const bool by_number = params.session_id && !params.session_id->empty() && params.exchange_number;
  if (params.ids.empty() == !by_number)
    return Error(Errc::invalid_argument,
                 "ids: send either ids (like [\"x42\"]) or session_id together with exchange_number");
  return by_number ? select_by_number(services, reader, params) : select_by_ids(services, reader, params);
}

std::uint64_t question_of(const GetExchangeParams& params) {
  std::string ids;
  for (const std::string& id : params.ids)
    (ids += id) += ',';
  return question_key({"get_exchange", ids, params.session_id.value_or(""),
                       std::to_string(params.exchange_number.value_or(-1)), std::to_string(params.around),
                       params.include_tools ? "1" : "0", params.include_raw ? "1" : "0", params.in_order ? "1" : "0"});
}

Result<GetExchangeAnswer> run(const ToolServices& services, const GetExchangeParams& params,
                              mcp::ToolContext& context) {
  const auto question = question_of(params);
  MEMD_TRY_ASSIGN(const PageCursor at, decode_cursor(params.cursor, question));
  MEMD_TRY_ASSIGN(const auto reader, lease_reader(services, context.stop));
  MEMD_TRY_ASSIGN(Selection selection, select(services, *reader, params));

  ScopeParams platforms;
  for (const ExchangeRow& row : selection.rows) {
    const std::string key(to_string(row.platform));
    if (std::find(platforms.platforms.begin(), platforms.platforms.end(), key) == platforms.platforms.end())
      platforms.platforms.push_back(key);
  }
  MEMD_TRY_ASSIGN(Scope scope, resolve_scope(services, platforms, {Capability::exchange_retrieval, {}}));
  scope.is_selected = false;
  std::erase_if(selection.rows, [&](const ExchangeRow& row) { return !scope.includes(row.platform); });
  Answer frame = answer_for(scope);
  tell_evicted(frame.notice, std::ranges::count_if(selection.rows, &ExchangeRow::is_evicted));
  ExchangePager pager(services, *reader, selection.rows, {params.include_tools, params.include_raw, params.in_order});
  MEMD_TRY(pager.load(at));
  return fit_answer<GetExchangeAnswer>(token_limit(services, params), frame, [&](std::size_t tokens) {
    GetExchangeAnswer out;
    static_cast<Answer&>(out) = frame;
    auto page = pager.make(at, tokens);
    out.exchanges = std::move(page.exchanges);
    if (!selection.missing.empty()) out.missing = selection.missing;
    if (page.next) out.next = encode_cursor(*page.next, question);
    if (page.texts_shortened && params.include_raw)
      out.notice.say("Tool texts that end in … go on in source_path, from raw_offset on.");
    else if (page.texts_shortened)
      out.notice.say("Tool texts that end in … come whole with include_raw=true.");
    return out;
  });
}

template <std::size_t size>
void add_fact(HistoryText& out, const char (&name)[size], const std::optional<std::string>& value) {
  if (value && !value->empty()) out.add("  ", name, " ", ascii::one_line(*value));
}

template <std::size_t size>
void add_text(HistoryText& out, const char (&name)[size], const std::optional<std::string>& text) {
  if (text) out.add(name, ":\n", HistoryText::Whole{*text}, "\n");
}

void add_event(HistoryText& out, const EventOut& v) {
  out.add("[", v.seq, "] ", short_time(v.time), " ", v.kind);
  if (v.tool) out.add(" ", *v.tool);
  if (v.is_sidechain) out.add(" of a subagent");
  if (v.is_error) out.add(" (failed)");
  if (v.parent_seq) out.add(" after [", *v.parent_seq, "]");
  out.add(": ", v.summary);
  if (v.raw_offset) out.add("  record at ", *v.raw_offset, "+", v.raw_length.value_or(0));
  out.add("\n");
  if (v.text) out.add(HistoryText::Whole{*v.text}, "\n");
}

void add_exchange(HistoryText& out, const ExchangeOut& e) {
  out.add(e.exchange_id, "  #", e.exchange_number, " of ", e.session_id, "  ", short_time(e.timestamp), "  data ",
          e.data_completeness);
  if (e.abandoned_for) add_abandoned(out, *e.abandoned_for);
  if (e.gone_from_source.value_or(false)) out.add("  no longer in the agent's own history");
  if (e.session_name) out.add("  \"", *e.session_name, "\"");
  add_fact(out, "branch", e.git_branch);
  add_fact(out, "in", e.working_directory);
  add_fact(out, "model", e.model_used);
  if (e.tokens_output) out.add("  tokens ", e.tokens_input.value_or(0), "/", *e.tokens_output);
  if (e.tool_calls.value_or(0) > 0) out.add("  tools ", *e.tool_calls, " (", e.tool_errors.value_or(0), " failed)");
  if (e.lines_added.value_or(0) + e.lines_removed.value_or(0) > 0)
    out.add("  lines +", e.lines_added.value_or(0), " -", e.lines_removed.value_or(0));
  add_fact(out, "source", e.source_path);
  add_fact(out, "format", e.raw_format_version);
  add_fact(out, "adapter", e.adapter_version);
  if (e.origin) out.add("  ", *e.origin);
  if (e.ingestion_timestamp) out.add("  ingested ", short_time(*e.ingestion_timestamp));
  out.add("  ~", e.full_tokens, " tokens\n");
  add_text(out, "User", e.user_message);
  for (const std::string& marks : e.attachments.value_or(std::vector<std::string>()))
    out.add("With it: ", ascii::one_line(marks), "\n");
  add_text(out, "User, meanwhile", e.interventions);
  add_text(out, "Assistant", e.assistant_response);
  if (e.topics) out.add("Topics: ", joined(*e.topics), "\n");
  if (e.files_referenced) {
    out.add("Files:");
    for (const std::string& file : *e.files_referenced)
      out.add("\n- ", ascii::one_line(file));
    out.add("\n");
  }
  if (e.decisions_made) out.add("Decisions:\n");
  for (const DecisionOut& d : e.decisions_made.value_or(std::vector<DecisionOut>())) {
    out.add("- ");
    add_decision(out, d);
    out.add("\n");
  }
  if (e.decisions_left_out) out.add("(and ", counted(*e.decisions_left_out, "decision"), " more)\n");
  for (const EventOut& v : e.events.value_or(std::vector<EventOut>()))
    add_event(out, v);
  if (!e.complete) out.add("(", e.exchange_id, " goes on; all of its texts: ~", e.full_tokens, " tokens)\n");
  out.add("\n");
}

}  // namespace

AnswerText render_text(const GetExchangeAnswer& a) {
  HistoryText body;
  for (const ExchangeOut& e : a.exchanges)
    add_exchange(body, e);
  AnswerText out = answer_header(a);
  out.quote(body);
  if (a.missing) {
    out.add("No such turn:");
    for (const std::string& id : *a.missing)
      out.add(" ", AnswerText::Id{id});
    out.add("\n");
  }
  return out.add(answer_footer(a));
}

void add_get_exchange(mcp::ToolRegistry& registry, const ToolServices& services) {
  mcp::ToolInfo info;
  info.name = "get_exchange";
  info.title = "Full text of a turn";
  info.description =
      "Show the full text of turns, by id (x42): what was said and what ran. For a long one raise "
      "max_tokens (to 8000) or follow `next`.";
  info.always_shown = true;
  registry.add<GetExchangeParams, GetExchangeAnswer>(
      std::move(info), [services](const GetExchangeParams& p, mcp::ToolContext& c) { return run(services, p, c); });
}

}  // namespace memd::tools
