// Commands about history. Each queries one tool and shows its typed answer.
#include "daemon/cli/command.hpp"
#include "daemon/cli/history_filter.hpp"
#include "daemon/cli/pages.hpp"
#include "daemon/cli/render/views.hpp"
#include "daemon/cli/render/words.hpp"
#include "daemon/cli/run_commands.hpp"
#include "daemon/cli/session_reading.hpp"
#include "daemon/tools/observed.hpp"
#include "daemon/usage/usage_report.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/time.hpp"
#include "store/reader.hpp"

#include <boost/algorithm/string/join.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <span>
#include <type_traits>

namespace memd::cli {
namespace {

// The parameters of the tool that a command asks, set by the parser, and what a command has besides.
template <class Params>
struct Asked {
  Params params;
  std::vector<std::string> words;     // joined, they are one of the parameters
  std::optional<std::int64_t> count;  // rows on all pages
};

// Adds the option for commands that are limited to the project of the working directory.
void take_directory(Command& command, tools::ScopeParams& p) {
  take_options(command, {{"--all-projects", &p.all_projects, "Not only the project of this directory"}});
}

Option kind_of_note(std::optional<std::string>& kind) {
  return {.names = "--kind",
          .target = &kind,
          .help = "Only what is noted as this: decision, problem, …",
          .one_of = {tools::kObservationChoices.begin(), tools::kObservationChoices.end()}};
}

Option session_argument(std::optional<std::string>& session, const char* help) { return {"session", &session, help}; }

// Returns the working directory. Empty if it no longer exists, and for the root, which is no project.
std::string current_directory() {
  std::error_code gone;
  const std::filesystem::path directory = std::filesystem::current_path(gone);
  return directory == directory.root_path() ? std::string() : directory.string();
}

void look_here(tools::ScopeParams& p) {
  p.cwd = current_directory();
  p.all_projects |= p.cwd->empty();
}

// `prepare` changes a page before it is shown; may be empty.
template <class View, class Answer>
Result<int> print_pages(const Invocation& call, Caller& caller, const Pages<Answer>& pages, const RowsWanted& wanted,
                        const MakeArguments& arguments,
                        const std::type_identity_t<std::function<void(Answer&)>>& prepare = {}) {
  Screen screen(call.look);
  View view(screen);
  const auto show = [&](Answer& page) {
    if (prepare) prepare(page);
    view.page(page);
    return !screen.is_closed();
  };
  MEMD_TRY_ASSIGN(const Answer last,
                  ask_pages<Answer>(caller, pages.tool, arguments, wanted, pages.count, show, pages.keep_first));
  view.end(last);
  return finish(screen);
}

// Shows the pages as they arrive, or prints all of them as one JSON document.
template <class View, class Answer>
Result<int> show_pages(const Invocation& call, const Pages<Answer>& pages, const RowsWanted& wanted,
                       const MakeArguments& arguments) {
  MEMD_TRY_ASSIGN(const auto caller, open_caller(call.settings, Need::read));
  if (!call.as_json) return print_pages<View>(call, *caller, pages, wanted, arguments);
  MEMD_TRY_ASSIGN(const Answer all, collect(*caller, pages, wanted, arguments));
  return print_json(call, all);
}

// The same for an answer that is a list, whose JSON is printed page by page, too.
template <class View, class Answer, class Row>
Result<int> show_list(const Invocation& call, std::string_view tool, const ListOf<Answer, Row>& list,
                      const RowsWanted& wanted, const MakeArguments& arguments,
                      const std::type_identity_t<std::function<void(Answer&)>>& prepare = {}) {
  std::function<std::int64_t(const Answer&)> count = list.count;
  if (!count) count = [&list](const Answer& a) { return std::ssize(a.*list.rows); };
  const Pages<Answer> pages{tool, count, {}, list.keep_first};
  MEMD_TRY_ASSIGN(const auto caller, open_caller(call.settings, Need::read));
  if (!call.as_json) return print_pages<View>(call, *caller, pages, wanted, arguments, prepare);
  StreamedJson<Answer, Row> json(call, list);
  MEMD_TRY_ASSIGN(const Answer last, ask_pages<Answer>(
                                         *caller, tool, arguments, wanted, pages.count,
                                         [&json](Answer& page) { return json.page(page); }, list.keep_first));
  return json.end(last);
}

template <class Answer>
Result<int> show_answer(const Invocation& call, std::string_view tool, const std::string& arguments) {
  MEMD_TRY_ASSIGN(const auto caller, open_caller(call.settings, Need::read));
  MEMD_TRY_ASSIGN(const Answer answer, ask_history<Answer>(*caller, tool, arguments));
  return print_report(call, answer);
}

Command search_command() {
  const auto o = std::make_shared<Asked<tools::SemanticSearchParams>>();
  tools::SemanticSearchParams& p = o->params;
  Command c{"search", "Find what was said and done"};
  c.json_schema = schema_of<tools::SemanticSearchAnswer>(c.name);
  take_options(c, {{.names = "query",
                    .target = &o->words,
                    .help = "Words, a question, names, '\"a phrase\"'; what begins with - goes after --",
                    .required = true},
                   rows_option(&o->count, "How many hits (10); 0: all"),
                   {"--also", &p.also, "The same in other words; up to four times"},
                   {"--session", &p.session_id, "Only this session"},
                   {.names = "--mode",
                    .target = &p.mode,
                    .help = "hybrid (default), lexical (by words alone) or semantic (by meaning alone)",
                    .one_of = {"hybrid", "lexical", "semantic"}},
                   kind_of_note(p.observation),
                   {"--explain", &p.explain, "Say what each hit was ranked by"}});
  take_directory(c, p);
  take_filters(c, p, &p.since);
  c.run = [o](const Invocation& call) {
    constexpr std::int64_t kUsual = 10;
    constexpr std::int64_t kPage = 50;
    o->params.query = boost::algorithm::join(o->words, " ");
    o->params.count = true;
    look_here(o->params);
    return show_list<HitsView>(call, "semantic_search", ListOf{"results", &tools::SemanticSearchAnswer::results},
                               {o->count, kUsual, kPage}, pages_of(o->params, &tools::SemanticSearchParams::n_results));
  };
  return c;
}

// Adds what the sessions of a page cost, with their subagents, where the agent does not say it.
void add_costs(const Settings& settings, tools::ListSessionsAnswer& page) {
  const auto prices = prices_in_force(settings.config, {});
  if (!prices || page.sessions.empty()) return;
  QueryFilter filter;
  for (const tools::SessionOut& s : page.sessions) {
    const TimeMs start = parse_rfc3339(s.started_at).value_or(0);
    if (filter.since == 0 || start < filter.since) filter.since = start;
  }
  Reader reader(settings.layout.database());
  const auto report = usage::usage_report(reader, {filter, UsageBy::session}, *prices);
  if (!report) return;  // a list without costs
  for (tools::SessionOut& s : page.sessions) {
    const auto row = std::ranges::find(report->rows, s.session_id, &usage::UsageRowOut::session);
    if (row != report->rows.end() && !s.cost_usd) s.cost_usd = row->cost_usd;
  }
}

Command sessions_command() {
  const auto o = std::make_shared<Asked<tools::ListSessionsParams>>();
  tools::ListSessionsParams& p = o->params;
  Command c{"sessions", "List sessions, newest first"};
  c.json_schema = schema_of<tools::ListSessionsAnswer>(c.name);
  take_options(c, {rows_option(&o->count, "How many (20); 0: all"),
                   {"--subagents", &p.include_subagents, "Subagents too"},
                   {.names = "--state,--outcome",
                    .target = &p.state,
                    .help = "Only those in this state: running, done, abandoned, …",
                    .one_of = {tools::kStateChoices.begin(), tools::kStateChoices.end()}}});
  take_filters(c, p, &p.since);
  c.run = [o](const Invocation& call) {
    constexpr std::int64_t kUsual = 20;
    constexpr std::int64_t kPage = 1000;
    o->params.all_projects = true;
    const auto prepare = [&call](tools::ListSessionsAnswer& page) {
      if (call.look.is_terminal) add_costs(call.settings, page);
    };
    return show_list<SessionsView>(call, "list_sessions", ListOf{"sessions", &tools::ListSessionsAnswer::sessions},
                                   {o->count, kUsual, kPage},
                                   pages_of(o->params, &tools::ListSessionsParams::n_results), prepare);
  };
  return c;
}

Command observations_command() {
  const auto o = std::make_shared<Asked<tools::ListObservationsParams>>();
  tools::ListObservationsParams& p = o->params;
  Command c{"observations", "What was decided, found, broken and fixed, newest first"};
  c.json_schema = schema_of<tools::ListObservationsAnswer>(c.name);
  take_options(c, {kind_of_note(p.observation),
                   {"--session", &p.session_id, "Only this session"},
                   rows_option(&o->count, "How many (20); 0: all")});
  take_directory(c, p);
  take_filters(c, p, &p.since);
  c.run = [o](const Invocation& call) {
    constexpr std::int64_t kUsual = 20;
    constexpr std::int64_t kPage = 1000;
    look_here(o->params);
    return show_list<ObservationsView>(
        call, "list_observations", ListOf{"observations", &tools::ListObservationsAnswer::observations},
        {o->count, kUsual, kPage}, pages_of(o->params, &tools::ListObservationsParams::n_results));
  };
  return c;
}

// Merges pages of days. A session is listed once, even if several pages contain it.
void append_days(tools::TemporalQueryAnswer& all, tools::TemporalQueryAnswer& page) {
  all.summary += "\n" + page.summary;
  for (const tools::TemporalSessionOut& s : page.sessions) {
    const auto known = std::ranges::find(all.sessions, s.session_id, &tools::TemporalSessionOut::session_id);
    if (known == all.sessions.end()) {
      all.sessions.push_back(s);
    } else {
      known->exchange_count += s.exchange_count;
      known->time_range.end = std::max(known->time_range.end, s.time_range.end);
    }
  }
}

constexpr std::string_view kNextSession = "\n- ";  // in the summary of days, whose headings are other lines

std::int64_t sessions_of_days(const tools::TemporalQueryAnswer& page) {
  std::int64_t out = 0;
  for (auto at = page.summary.find(kNextSession); at != std::string::npos; at = page.summary.find(kNextSession, at + 1))
    ++out;
  return out;
}

// Keeps the first sessions and the headings of their days.
void keep_days(tools::TemporalQueryAnswer& page, std::int64_t rows) {
  std::string& text = page.summary;
  std::size_t at = text.find(kNextSession);
  for (; at != std::string::npos && rows > 0; --rows)
    at = text.find(kNextSession, at + 1);
  if (at == std::string::npos) return;
  text.resize(at);
  const auto line = text.rfind('\n') + 1;  // the first one, if there is no other
  const bool is_heading = text.compare(line, 1, " ") != 0 && text.compare(line, 2, "- ") != 0;
  if (is_heading) text.resize(line);
  // The line of a session's first day in the page ends with its first exchange.
  const std::string lines = text + "\n";
  std::erase_if(page.sessions, [&](const tools::TemporalSessionOut& s) {
    return lines.find("\", " + s.first_exchange_id + "\n") == std::string::npos;
  });
}

Command timeline_command() {
  const auto o = std::make_shared<Asked<tools::TemporalQueryParams>>();
  tools::TemporalQueryParams& p = o->params;
  Command c{"timeline", "What happened today, or between two times"};
  c.json_schema = schema_of<tools::TemporalQueryAnswer>(c.name);
  take_options(c, {rows_option(&o->count, "How many sessions, each on each of its days; 0, as without it: all")});
  take_directory(c, p);
  take_filters(c, p, &p.from);
  c.run = [o](const Invocation& call) {
    const Pages<tools::TemporalQueryAnswer> pages{"temporal_query", sessions_of_days, append_days, keep_days};
    look_here(o->params);
    if (o->params.from.empty()) o->params.from = o->params.until.value_or("today");
    return show_pages<TimelineView>(call, pages, {o->count, 0, 0}, pages_of(o->params));
  };
  return c;
}

void append_topics(tools::TopicSearchAnswer& all, tools::TopicSearchAnswer& page) {
  if (page.topics && all.topics) all.topics->insert(all.topics->end(), page.topics->begin(), page.topics->end());
  all.by_session.insert(all.by_session.end(), page.by_session.begin(), page.by_session.end());
  if (!page.chronological_summary.empty()) all.chronological_summary += "\n" + page.chronological_summary;
}

void keep_topics(tools::TopicSearchAnswer& page, std::int64_t rows) {
  const auto n = static_cast<std::size_t>(rows);
  if (page.topics)
    page.topics->resize(std::min(page.topics->size(), n));
  else
    page.by_session.resize(std::min(page.by_session.size(), n));
}

Command topic_command() {
  const auto o = std::make_shared<Asked<tools::TopicSearchParams>>();
  tools::TopicSearchParams& p = o->params;
  Command c{"topic", "How a topic went on, session by session; without one, what was discussed"};
  c.json_schema = schema_of<tools::TopicSearchAnswer>(c.name);
  take_options(c, {{"topic", &o->words, "The topic; none: the topics there are"},
                   rows_option(&o->count, "How many topics or sessions (20); 0: all"),
                   {"--session", &p.session_id, "Only this session"},
                   kind_of_note(p.observation)});
  take_directory(c, p);
  take_filters(c, p, &p.since);
  c.run = [o](const Invocation& call) {
    constexpr std::int64_t kUsual = 20;
    const auto rows = [](const tools::TopicSearchAnswer& a) {
      return a.topics ? std::ssize(*a.topics) : std::ssize(a.by_session);
    };
    const Pages<tools::TopicSearchAnswer> pages{"topic_search", rows, append_topics, keep_topics};
    o->params.topic = boost::algorithm::join(o->words, " ");
    look_here(o->params);
    return show_pages<TopicView>(call, pages, {o->count, kUsual, 0}, pages_of(o->params));
  };
  return c;
}

// Merges a session with the one before: a page may continue the session of the previous page.
bool joins_session(tools::FileSessionOut& before, const tools::FileSessionOut& s) {
  if (before.session_id != s.session_id) return false;
  before.exchanges.insert(before.exchanges.end(), s.exchanges.begin(), s.exchanges.end());
  return true;
}

void keep_uses(tools::FileHistoryAnswer& page, std::int64_t rows) {
  for (tools::FileSessionOut& s : page.sessions) {
    const auto n = std::min(std::ssize(s.exchanges), static_cast<std::ptrdiff_t>(rows));
    s.exchanges.resize(static_cast<std::size_t>(n));
    rows -= n;
  }
  std::erase_if(page.sessions, [](const tools::FileSessionOut& s) { return s.exchanges.empty(); });
}

// Returns whether a person who typed this rather means a commit than a file. A file of such a name: `./46815ae`.
bool is_commit_hash(std::string_view text) {
  constexpr std::size_t kShortest = 7;
  constexpr std::size_t kWhole = 40;
  return text.size() >= kShortest && text.size() <= kWhole && std::ranges::all_of(text, ascii::is_hex) &&
         std::ranges::any_of(text, ascii::is_digit);
}

Command file_history_command() {
  const auto o = std::make_shared<Asked<tools::FileHistoryParams>>();
  tools::FileHistoryParams& p = o->params;
  Command c{"file-history", "Who changed a file, and why; or which session made a commit"};
  c.json_schema = schema_of<tools::FileHistoryAnswer>(c.name);
  take_options(c, {{"path", &p.path, "A path, its end, a name, a directory or a pattern"},
                   rows_option(&o->count, "How many turns (20); 0: all"),
                   {"--lines", &p.lines, "Only edits of these lines: 120-180"},
                   {"--symbol", &p.symbol, "Only edits of lines with this text"},
                   {"--commit", &p.commit, "The session that made this commit"},
                   {.names = "--access",
                    .target = &p.access,
                    .help = "any (default), modified or read",
                    .one_of = {"any", "modified", "read"}}});
  take_filters(c, p, &p.since);
  c.run = [o](const Invocation& call) {
    constexpr std::int64_t kUsual = 20;
    if (auto& path = o->params.path; path && !o->params.commit && is_commit_hash(*path)) path.swap(o->params.commit);
    const auto uses = [](const tools::FileHistoryAnswer& a) {
      std::int64_t n = 0;
      for (const tools::FileSessionOut& s : a.sessions)
        n += std::ssize(s.exchanges);
      return n;
    };
    const ListOf<tools::FileHistoryAnswer, tools::FileSessionOut> list{"sessions", &tools::FileHistoryAnswer::sessions,
                                                                       joins_session, uses, keep_uses};
    if (auto& path = o->params.path; path && (path->starts_with("./") || path->starts_with("../")))
      path = std::filesystem::absolute(*path).lexically_normal().string();
    return show_list<FileView>(call, "file_history", list, {o->count, kUsual, 0}, pages_of(o->params));
  };
  return c;
}

Result<int> show_exchanges(const Invocation& call, tools::GetExchangeParams params) {
  constexpr std::size_t kIdsOfACall = 20;
  MEMD_TRY_ASSIGN(const auto caller, open_caller(call.settings, Need::read));
  Screen screen(call.look);
  ExchangesView view(screen);
  StreamedJson json(call, exchange_list());
  const Pages<tools::GetExchangeAnswer> pages = exchange_pages();
  tools::GetExchangeAnswer last;
  std::vector<std::string> missing;
  bool goes_on = true;
  params.include_tools |= params.include_raw;
  const std::vector<std::string> asked = std::move(params.ids);
  for (std::span<const std::string> rest(asked); !rest.empty() && goes_on;) {
    const auto ids = rest.first(std::min(kIdsOfACall, rest.size()));
    rest = rest.subspan(ids.size());
    params.ids.assign(ids.begin(), ids.end());
    const auto take = [&](tools::GetExchangeAnswer& page) {
      for (const std::string& id : page.missing.value_or(std::vector<std::string>()))
        if (std::ranges::find(missing, id) == missing.end()) missing.push_back(id);
      if (call.as_json) return goes_on = json.page(page);
      view.page(page);
      return goes_on = !screen.is_closed();
    };
    MEMD_TRY_ASSIGN(last,
                    ask_pages<tools::GetExchangeAnswer>(*caller, pages.tool, pages_of(params), {}, pages.count, take));
  }
  if (call.as_json) {
    last.next.reset();
    if (!missing.empty()) last.missing = missing;
    return json.end(last);
  }
  view.end(last);
  return finish(screen);
}

Command show_command() {
  struct ShowOptions {
    tools::GetExchangeParams turns;
    bool as_markdown = false;
  };
  const auto o = std::make_shared<ShowOptions>();
  tools::GetExchangeParams& p = o->turns;
  Command c{"show", "A session from start to end, or turns, whole"};
  c.json_schema = schema_of<tools::GetExchangeAnswer>(c.name);
  take_options(c, {{.names = "id",
                    .target = &p.ids,
                    .help = "A session: its id, the beginning of it, or latest; or turns: x42 …",
                    .required = true},
                   {.names = "--around",
                    .target = &p.around,
                    .help = "With this many turns before and after",
                    .value_name = "N",
                    .between = std::pair(0, 5)},
                   {"--tools", &p.include_tools, "With tool calls and results, shortened"},
                   {"--raw", &p.include_raw, "With all that tools were given and said, and what the agent thought"},
                   {"--md", &o->as_markdown, "A session as Markdown"}});
  c.run = [o](const Invocation& call) -> Result<int> {
    tools::GetExchangeParams turns = o->turns;
    if (turns.ids.size() != 1 || names_turn(turns.ids.front())) {
      if (o->as_markdown) return Error(Errc::invalid_argument, "--md is for one session, not for turns");
      return show_exchanges(call, turns);
    }
    const std::string session = turns.ids.front();
    if (!call.as_json)
      return read_session(call, {session,
                                 turns.include_raw     ? ToolDetail::whole
                                 : turns.include_tools ? ToolDetail::shortened
                                                       : ToolDetail::line,
                                 o->as_markdown});
    MEMD_TRY_ASSIGN(turns.ids, turns_of_session(call, session));
    return show_exchanges(call, turns);
  };
  return c;
}

// Prepends a page: pages go back in time.
void put_before(tools::RecentTurnsAnswer& all, tools::RecentTurnsAnswer& page) {
  all.turns.insert(all.turns.begin(), page.turns.begin(), page.turns.end());
  all.time_range.start = page.time_range.start;
  all.exchanges_summarized += page.exchanges_summarized;
  all.source_tokens += page.source_tokens;
  all.summary_tokens += page.summary_tokens;
  all.summary = page.summary + (page.summary.empty() || all.summary.empty() ? "" : "\n") + all.summary;
}

Result<int> show_turns(const Invocation& call, const Asked<tools::RecentTurnsParams>& o) {
  constexpr std::int64_t kUsual = 10;
  constexpr std::int64_t kPage = 100;
  MEMD_TRY_ASSIGN(const auto caller, open_caller(call.settings, Need::read));
  const Pages<tools::RecentTurnsAnswer> pages{
      "recent_turns", [](const tools::RecentTurnsAnswer& a) { return std::ssize(a.turns); }, put_before};
  MEMD_TRY_ASSIGN(const auto all, collect(*caller, pages, {o.count, kUsual, kPage},
                                          pages_of(o.params, &tools::RecentTurnsParams::n_turns)));
  return print_report(call, all);
}

Command recent_command() {
  const auto o = std::make_shared<Asked<tools::RecentTurnsParams>>();
  tools::RecentTurnsParams& p = o->params;
  p.style = "brief";
  p.all_projects = true;
  Command c{"recent", "The last turns of a session"};
  c.json_schema = schema_of<tools::RecentTurnsAnswer>(c.name);
  take_options(c, {session_argument(p.session_id, "Session id, a prefix of it, or latest (default)"),
                   rows_option(&o->count, "How many turns (10); 0: all"),
                   {"--project", &p.project, "Latest session of this project"},
                   {.names = "--style",
                    .target = &p.style,
                    .help = "How much of their text the summary keeps: brief (default) or detailed",
                    .one_of = {"brief", "detailed"}}});
  c.run = [o](const Invocation& call) { return show_turns(call, *o); };
  return c;
}

// Default sizes: what a user reads at a sitting. A summary has no natural page size.
constexpr std::int64_t kSummaryTokens = 3000;
constexpr std::int64_t kResumeTokens = 4000;

Option size_of_answer(tools::ScopeParams& p) {
  return {.names = "--max-tokens", .target = &p.max_tokens, .help = "Size of the answer", .value_name = "N"};
}

Command summary_command() {
  const auto o = std::make_shared<Asked<tools::SessionSummaryParams>>();
  tools::SessionSummaryParams& p = o->params;
  p.max_tokens = kSummaryTokens;
  p.all_projects = true;
  Command c{"summary", "What a session was about, from start to end"};
  c.json_schema = schema_of<tools::SessionSummaryAnswer>(c.name);
  take_options(
      c, {session_argument(p.session_id, "Session id, a prefix of it, or latest (default)"),
          {"--project", &p.project, "Latest session of this project"},
          {.names = "--strategy",
           .target = &p.strategy,
           .help = "How it is made (auto); map_reduce, recursive and abstractive need a language model",
           .one_of = {"auto", "extractive", "chronological", "hierarchical", "map_reduce", "recursive", "abstractive"}},
          {.names = "--style",
           .target = &p.style,
           .help = "technical (default), narrative or topical",
           .one_of = {"technical", "narrative", "topical"}},
          {"--level", &p.level, "1: its chunks, 2: the session, 3: an abstract, 4: its project", "N"},
          {"--chunk", &p.chunk, "One chunk, from 0", "N"},
          {"--compression", &p.compression, "Percent to leave out: 30, 70, 90", "PERCENT"},
          {"--max-seconds", &p.max_seconds, "How long a language model may take", "N"},
          size_of_answer(p)});
  c.run = [o](const Invocation& call) {
    tools::SessionSummaryParams& asked = o->params;
    if (asked.level == tools::kProjectLevel && asked.project.value_or("").empty()) asked.cwd = current_directory();
    return show_answer<tools::SessionSummaryAnswer>(call, "session_summary", mcp::to_arguments(o->params));
  };
  return c;
}

Command resume_command() {
  const auto o = std::make_shared<Asked<tools::ResumeParams>>();
  tools::ResumeParams& p = o->params;
  p.max_tokens = kResumeTokens;
  Command c{"resume", "What an agent was doing: goal, decisions, files, commands, next steps"};
  c.json_schema = schema_of<tools::ResumeAnswer>(c.name);
  take_options(
      c, {session_argument(p.session_id,
                           "Session id, a prefix of it, or latest; default: the latest of this directory's project"),
          {"--project", &p.project, "Latest session of this project"},
          {"--before", &p.before, "compaction (the last), end, a compaction's number, or auto (default)"},
          {.names = "--complement",
           .target = &p.complement,
           .help = "Leave out what the agent's own summary says: auto, always or never",
           .one_of = {"auto", "always", "never"}},
          size_of_answer(p)});
  c.run = [o](const Invocation& call) {
    tools::ResumeParams& asked = o->params;
    if (asked.session_id.value_or("").empty() && asked.project.value_or("").empty()) asked.cwd = current_directory();
    return show_answer<tools::ResumeAnswer>(call, "resume_context", mcp::to_arguments(asked));
  };
  return c;
}

}  // namespace

std::vector<Command> history_commands() {
  std::vector<Command> out{search_command(),       show_command(),        recent_command(),   summary_command(),
                           resume_command(),       sessions_command(),    timeline_command(), topic_command(),
                           observations_command(), file_history_command()};
  std::ranges::move(run_commands(), std::back_inserter(out));
  return out;
}

}  // namespace memd::cli
