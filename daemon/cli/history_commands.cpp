// Commands about history. Each queries one tool and shows its typed answer.
#include "daemon/cli/command.hpp"
#include "daemon/cli/pages.hpp"
#include "daemon/cli/render/views.hpp"
#include "daemon/cli/render/words.hpp"
#include "daemon/tools/observed.hpp"
#include "daemon/tools/tool_arguments.hpp"

#include <filesystem>
#include <memory>
#include <span>

namespace memd::cli {
namespace {

using tools::ToolArguments;

struct HistoryOptions {
  std::vector<std::string> words;
  std::vector<std::string> also;
  std::string text;
  std::string platform;
  std::string project;
  std::string session;
  std::string since;
  std::string until;
  std::string style;
  std::optional<std::int64_t> count;
  std::optional<std::int64_t> max_tokens;
  std::optional<std::int64_t> around;
  std::string strategy;
  std::optional<std::int64_t> level;
  std::optional<std::int64_t> chunk;
  std::optional<double> compression;
  std::optional<std::int64_t> max_seconds;
  std::string mode;
  std::string kind;
  std::string lines;
  std::string symbol;
  std::string commit;
  std::string before;
  std::string complement;
  std::string state;
  bool explain = false;
  bool tools = false;
  bool raw = false;
  bool subagents = false;
  bool all_projects = false;
};
using SharedOptions = std::shared_ptr<HistoryOptions>;

void take_options(Command& command, std::vector<Option> options) {
  command.options.insert(command.options.end(), options.begin(), options.end());
}

void take_filters(Command& command, HistoryOptions& o, bool since_required = false) {
  take_options(command, {{"--platform", &o.platform, "Only this agent: claude_code, cursor, …"},
                         {"--project", &o.project, "Only projects whose path contains this"},
                         {.names = "--since",
                          .target = &o.since,
                          .help = "From this time: 2026-02-09, 7d, yesterday, …",
                          .required = since_required},
                         {"--until", &o.until, "Up to this time; a day or month is included"}});
}

// Adds the option for commands that are limited to the project of the working directory.
void take_directory(Command& command, HistoryOptions& o) {
  take_options(command, {{"--all-projects", &o.all_projects, "Not only the project of this directory"}});
}

Option kind_of_note(HistoryOptions& o) {
  return {.names = "--kind",
          .target = &o.kind,
          .help = "Only what is noted as this: decision, problem, …",
          .one_of = {tools::kObservationChoices.begin(), tools::kObservationChoices.end()}};
}

Option how_many(HistoryOptions& o, const char* help) { return rows_option(&o.count, help); }

Option session_argument(HistoryOptions& o, const char* help) { return {"session", &o.session, help}; }

// Returns the working directory. Empty if it no longer exists, and for the root, which is no project.
std::string current_directory() {
  std::error_code gone;
  const std::filesystem::path directory = std::filesystem::current_path(gone);
  return directory == directory.root_path() ? std::string() : directory.string();
}

ToolArguments& add_scope(ToolArguments& w, const HistoryOptions& o) {
  const std::string directory = current_directory();
  return w.add("cwd", directory).add_flag("all_projects", o.all_projects || directory.empty());
}

ToolArguments& add_filters(ToolArguments& w, const HistoryOptions& o) {
  return w.add("platform", o.platform).add("project", o.project).add("since", o.since).add("until", o.until);
}

// Returns "flaky test" for `memd search flaky test`.
std::string sentence(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words)
    out.append(out.empty() ? "" : " ").append(word);
  return out;
}

template <class View, class Answer>
Result<int> print_pages(const Invocation& call, Caller& caller, const Pages<Answer>& pages, const RowsWanted& wanted,
                        const MakeArguments& arguments) {
  Screen screen(call.look);
  View view(screen);
  const auto show = [&](Answer& page) {
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
                      const RowsWanted& wanted, const MakeArguments& arguments) {
  std::function<std::int64_t(const Answer&)> count = list.count;
  if (!count) count = [&list](const Answer& a) { return std::ssize(a.*list.rows); };
  const Pages<Answer> pages{tool, count, {}, list.keep_first};
  MEMD_TRY_ASSIGN(const auto caller, open_caller(call.settings, Need::read));
  if (!call.as_json) return print_pages<View>(call, *caller, pages, wanted, arguments);
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
  if (call.as_json) return print_json(call, answer);
  Screen screen(call.look);
  show(screen, answer);
  return finish(screen);
}

Command search_command() {
  const auto o = std::make_shared<HistoryOptions>();
  Command c{"search", "Find what was said and done"};
  c.json_schema = schema_of<tools::SemanticSearchAnswer>(c.name);
  take_options(c, {{.names = "query",
                    .target = &o->words,
                    .help = "Words, a question, names, '\"a phrase\"'; what begins with - goes after --",
                    .required = true},
                   how_many(*o, "How many hits (10); 0: all"),
                   {"--also", &o->also, "The same in other words; up to four times"},
                   {"--session", &o->session, "Only this session"},
                   {.names = "--mode",
                    .target = &o->mode,
                    .help = "hybrid (default), lexical (by words alone) or semantic (by meaning alone)",
                    .one_of = {"hybrid", "lexical", "semantic"}},
                   kind_of_note(*o),
                   {"--explain", &o->explain, "Say what each hit was ranked by"}});
  take_directory(c, *o);
  take_filters(c, *o);
  c.run = [o](const Invocation& call) {
    constexpr std::int64_t kUsual = 10;
    constexpr std::int64_t kPage = 50;
    return show_list<HitsView>(
        call, "semantic_search", ListOf{"results", &tools::SemanticSearchAnswer::results}, {o->count, kUsual, kPage},
        [o](const PageWanted& page) {
          ToolArguments w;
          w.add("query", sentence(o->words)).add_list("also", o->also).add("n_results", page.rows);
          w.add("session_id", o->session).add("mode", o->mode).add("kind", o->kind);
          add_scope(w, *o).add_flag("explain", o->explain).add("cursor", page.cursor);
          return add_filters(w, *o).finish();
        });
  };
  return c;
}

Command sessions_command() {
  const auto o = std::make_shared<HistoryOptions>();
  Command c{"sessions", "List sessions, newest first"};
  c.json_schema = schema_of<tools::ListSessionsAnswer>(c.name);
  take_options(c, {how_many(*o, "How many (20); 0: all"),
                   {"--subagents", &o->subagents, "Subagents too"},
                   {.names = "--state",
                    .target = &o->state,
                    .help = "Only those that are started, active, stopped or capture_disabled",
                    .one_of = {"started", "active", "stopped", "capture_disabled"}}});
  take_filters(c, *o);
  c.run = [o](const Invocation& call) {
    constexpr std::int64_t kUsual = 20;
    constexpr std::int64_t kPage = 1000;
    return show_list<SessionsView>(call, "list_sessions", ListOf{"sessions", &tools::ListSessionsAnswer::sessions},
                                   {o->count, kUsual, kPage}, [o](const PageWanted& page) {
                                     ToolArguments w;
                                     w.add("n_results", page.rows).add_flag("include_subagents", o->subagents);
                                     w.add("state", o->state).add("cursor", page.cursor);
                                     w.add_flag("all_projects", true);
                                     return add_filters(w, *o).finish();
                                   });
  };
  return c;
}

Command observations_command() {
  const auto o = std::make_shared<HistoryOptions>();
  Command c{"observations", "What was decided, found, broken and fixed, newest first"};
  c.json_schema = schema_of<tools::ListObservationsAnswer>(c.name);
  take_options(
      c, {kind_of_note(*o), {"--session", &o->session, "Only this session"}, how_many(*o, "How many (20); 0: all")});
  take_directory(c, *o);
  take_filters(c, *o);
  c.run = [o](const Invocation& call) {
    constexpr std::int64_t kUsual = 20;
    constexpr std::int64_t kPage = 1000;
    return show_list<ObservationsView>(
        call, "list_observations", ListOf{"observations", &tools::ListObservationsAnswer::observations},
        {o->count, kUsual, kPage}, [o](const PageWanted& page) {
          ToolArguments w;
          w.add("kind", o->kind).add("session_id", o->session).add("n_results", page.rows).add("cursor", page.cursor);
          return add_filters(add_scope(w, *o), *o).finish();
        });
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
  const auto o = std::make_shared<HistoryOptions>();
  Command c{"timeline", "What happened between two times"};
  c.json_schema = schema_of<tools::TemporalQueryAnswer>(c.name);
  take_options(c, {how_many(*o, "How many sessions, each on each of its days; 0, as without it: all")});
  take_directory(c, *o);
  take_filters(c, *o, true);
  c.run = [o](const Invocation& call) {
    const Pages<tools::TemporalQueryAnswer> pages{"temporal_query", sessions_of_days, append_days, keep_days};
    return show_pages<TimelineView>(call, pages, {o->count, 0, 0}, [o](const PageWanted& page) {
      ToolArguments w;
      return add_filters(add_scope(w, *o), *o).add("cursor", page.cursor).finish();
    });
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
  const auto o = std::make_shared<HistoryOptions>();
  Command c{"topic", "How a topic went on, session by session; without one, what was discussed"};
  c.json_schema = schema_of<tools::TopicSearchAnswer>(c.name);
  take_options(c, {{"topic", &o->words, "The topic; none: the topics there are"},
                   how_many(*o, "How many topics or sessions (20); 0: all"),
                   {"--session", &o->session, "Only this session"},
                   kind_of_note(*o)});
  take_directory(c, *o);
  take_filters(c, *o);
  c.run = [o](const Invocation& call) {
    constexpr std::int64_t kUsual = 20;
    const auto rows = [](const tools::TopicSearchAnswer& a) {
      return a.topics ? std::ssize(*a.topics) : std::ssize(a.by_session);
    };
    const Pages<tools::TopicSearchAnswer> pages{"topic_search", rows, append_topics, keep_topics};
    return show_pages<TopicView>(call, pages, {o->count, kUsual, 0}, [o](const PageWanted& page) {
      ToolArguments w;
      w.add("topic", sentence(o->words)).add("session_id", o->session).add("kind", o->kind).add("cursor", page.cursor);
      return add_filters(add_scope(w, *o), *o).finish();
    });
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

Command file_history_command() {
  const auto o = std::make_shared<HistoryOptions>();
  Command c{"file-history", "Who changed a file, and why; or which session made a commit"};
  c.json_schema = schema_of<tools::FileHistoryAnswer>(c.name);
  take_options(c, {{"path", &o->text, "A path, its end, a name, a directory or a pattern"},
                   how_many(*o, "How many turns (20); 0: all"),
                   {"--lines", &o->lines, "Only edits of these lines: 120-180"},
                   {"--symbol", &o->symbol, "Only edits of lines with this text"},
                   {"--commit", &o->commit, "The session that made this commit"},
                   {.names = "--access",
                    .target = &o->mode,
                    .help = "any (default), modified or read",
                    .one_of = {"any", "modified", "read"}}});
  take_filters(c, *o);
  c.run = [o](const Invocation& call) {
    constexpr std::int64_t kUsual = 20;
    const auto uses = [](const tools::FileHistoryAnswer& a) {
      std::int64_t n = 0;
      for (const tools::FileSessionOut& s : a.sessions)
        n += std::ssize(s.exchanges);
      return n;
    };
    const ListOf<tools::FileHistoryAnswer, tools::FileSessionOut> list{"sessions", &tools::FileHistoryAnswer::sessions,
                                                                       joins_session, uses, keep_uses};
    const bool here = o->text.starts_with("./") || o->text.starts_with("../");
    const std::string path = here ? std::filesystem::absolute(o->text).lexically_normal().string() : o->text;
    return show_list<FileView>(call, "file_history", list, {o->count, kUsual, 0}, [o, path](const PageWanted& page) {
      ToolArguments w;
      w.add("path", path).add("lines", o->lines).add("symbol", o->symbol).add("commit", o->commit);
      return add_filters(w.add("access", o->mode), *o).add("cursor", page.cursor).finish();
    });
  };
  return c;
}

Result<int> show_exchanges(const Invocation& call, const HistoryOptions& o) {
  constexpr std::size_t kIdsOfACall = 20;
  MEMD_TRY_ASSIGN(const auto caller, open_caller(call.settings, Need::read));
  Screen screen(call.look);
  ExchangesView view(screen);
  StreamedJson json(call, exchange_list());
  const Pages<tools::GetExchangeAnswer> pages = exchange_pages();
  tools::GetExchangeAnswer last;
  std::vector<std::string> missing;
  bool goes_on = true;
  for (std::span<const std::string> rest(o.words); !rest.empty() && goes_on;) {
    const auto ids = rest.first(std::min(kIdsOfACall, rest.size()));
    rest = rest.subspan(ids.size());
    const auto arguments = [&](const PageWanted& page) {
      ToolArguments w;
      w.add_list("ids", {ids.begin(), ids.end()}).add("around", o.around);
      w.add_flag("include_tools", o.tools || o.raw).add_flag("include_raw", o.raw);
      return w.add("cursor", page.cursor).finish();
    };
    const auto take = [&](tools::GetExchangeAnswer& page) {
      for (const std::string& id : page.missing.value_or(std::vector<std::string>()))
        if (std::ranges::find(missing, id) == missing.end()) missing.push_back(id);
      if (call.as_json) return goes_on = json.page(page);
      view.page(page);
      return goes_on = !screen.is_closed();
    };
    MEMD_TRY_ASSIGN(last, ask_pages<tools::GetExchangeAnswer>(*caller, pages.tool, arguments, {}, pages.count, take));
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
  const auto o = std::make_shared<HistoryOptions>();
  Command c{"show", "Exchanges, whole"};
  c.json_schema = schema_of<tools::GetExchangeAnswer>(c.name);
  take_options(
      c,
      {{.names = "id", .target = &o->words, .help = "Exchange ids as other commands print them: x42", .required = true},
       {.names = "--around",
        .target = &o->around,
        .help = "With this many exchanges before and after",
        .value_name = "N",
        .between = std::pair(0, 5)},
       {"--tools", &o->tools, "With tool calls and results, shortened"},
       {"--raw", &o->raw, "With all that tools were given and said, and what the agent thought"}});
  c.run = [o](const Invocation& call) { return show_exchanges(call, *o); };
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

Result<int> show_turns(const Invocation& call, const HistoryOptions& o) {
  constexpr std::int64_t kUsual = 10;
  constexpr std::int64_t kPage = 100;
  MEMD_TRY_ASSIGN(const auto caller, open_caller(call.settings, Need::read));
  const auto arguments = [&](const PageWanted& page) {
    ToolArguments w;
    w.add("session_id", o.session).add("project", o.project).add("n_turns", page.rows).add_flag("all_projects", true);
    return w.add("style", o.style.empty() ? std::string("brief") : o.style).add("cursor", page.cursor).finish();
  };
  const Pages<tools::RecentTurnsAnswer> pages{
      "recent_turns", [](const tools::RecentTurnsAnswer& a) { return std::ssize(a.turns); }, put_before};
  MEMD_TRY_ASSIGN(const auto all, collect(*caller, pages, {o.count, kUsual, kPage}, arguments));
  if (call.as_json) return print_json(call, all);
  Screen screen(call.look);
  show(screen, all);
  return finish(screen);
}

Command recent_command() {
  const auto o = std::make_shared<HistoryOptions>();
  Command c{"recent", "The last turns of a session"};
  c.json_schema = schema_of<tools::RecentTurnsAnswer>(c.name);
  take_options(c, {session_argument(*o, "Session id, a prefix of it, or latest (default)"),
                   how_many(*o, "How many turns (10); 0: all"),
                   {"--project", &o->project, "Latest session of this project"},
                   {.names = "--style",
                    .target = &o->style,
                    .help = "How much of their text the summary keeps: brief (default) or detailed",
                    .one_of = {"brief", "detailed"}}});
  c.run = [o](const Invocation& call) { return show_turns(call, *o); };
  return c;
}

// Default sizes: what a user reads at a sitting. A summary has no natural page size.
constexpr std::int64_t kSummaryTokens = 3000;
constexpr std::int64_t kResumeTokens = 4000;

Option size_of_answer(HistoryOptions& o) {
  return {.names = "--max-tokens", .target = &o.max_tokens, .help = "Size of the answer", .value_name = "N"};
}

Command summary_command() {
  const auto o = std::make_shared<HistoryOptions>();
  Command c{"summary", "What a session was about, from start to end"};
  c.json_schema = schema_of<tools::SessionSummaryAnswer>(c.name);
  take_options(
      c, {session_argument(*o, "Session id, a prefix of it, or latest (default)"),
          {"--project", &o->project, "Latest session of this project"},
          {.names = "--strategy",
           .target = &o->strategy,
           .help = "How it is made (auto); map_reduce, recursive and abstractive need a language model",
           .one_of = {"auto", "extractive", "chronological", "hierarchical", "map_reduce", "recursive", "abstractive"}},
          {.names = "--style",
           .target = &o->style,
           .help = "technical (default), narrative or topical",
           .one_of = {"technical", "narrative", "topical"}},
          {"--level", &o->level, "1: its chunks, 2: the session, 3: an abstract", "N"},
          {"--chunk", &o->chunk, "One chunk, from 0", "N"},
          {"--compression", &o->compression, "Percent to leave out: 30, 70, 90", "PERCENT"},
          {"--max-seconds", &o->max_seconds, "How long a language model may take", "N"},
          size_of_answer(*o)});
  c.run = [o](const Invocation& call) {
    ToolArguments w;
    w.add("session_id", o->session).add("project", o->project).add("strategy", o->strategy).add("style", o->style);
    w.add("level", o->level).add("chunk", o->chunk).add_decimal("compression", o->compression);
    w.add("max_seconds", o->max_seconds).add("max_tokens", std::optional(o->max_tokens.value_or(kSummaryTokens)));
    w.add_flag("all_projects", true);
    return show_answer<tools::SessionSummaryAnswer>(call, "session_summary", w.finish());
  };
  return c;
}

Command resume_command() {
  const auto o = std::make_shared<HistoryOptions>();
  Command c{"resume", "What an agent was doing: goal, decisions, files, commands, next steps"};
  c.json_schema = schema_of<tools::ResumeAnswer>(c.name);
  take_options(c, {session_argument(
                       *o, "Session id, a prefix of it, or latest; default: the latest of this directory's project"),
                   {"--project", &o->project, "Latest session of this project"},
                   {"--before", &o->before, "compaction (the last), end, a compaction's number, or auto (default)"},
                   {.names = "--complement",
                    .target = &o->complement,
                    .help = "Leave out what the agent's own summary says: auto, always or never",
                    .one_of = {"auto", "always", "never"}},
                   size_of_answer(*o)});
  c.run = [o](const Invocation& call) {
    ToolArguments w;
    w.add("session_id", o->session)
        .add("project", o->project)
        .add("before", o->before)
        .add("complement", o->complement);
    if (o->session.empty() && o->project.empty()) w.add("cwd", current_directory());
    w.add("max_tokens", std::optional(o->max_tokens.value_or(kResumeTokens)));
    return show_answer<tools::ResumeAnswer>(call, "resume_context", w.finish());
  };
  return c;
}

}  // namespace

std::vector<Command> history_commands() {
  return {search_command(),   show_command(),     recent_command(), summary_command(),      resume_command(),
          sessions_command(), timeline_command(), topic_command(),  observations_command(), file_history_command()};
}

}  // namespace memd::cli
