// Commands that are one tool call each.
#include "daemon/cli/caller.hpp"
#include "daemon/cli/command.hpp"
#include "daemon/host/memory_host.hpp"
#include "daemon/tools/capability_matrix.hpp"
#include "daemon/tools/observed.hpp"
#include "daemon/tools/tool_arguments.hpp"

#include <filesystem>
#include <iostream>
#include <memory>

namespace memd::cli {
namespace {

using tools::ToolArguments;

struct ToolOptions {
  std::string text;
  std::vector<std::string> ids;
  std::vector<std::string> also;
  std::string platform;
  std::string project;
  std::string session;
  std::string since;
  std::string until;
  std::string style;
  std::string cursor;
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
  bool subagents = false;
  bool all_projects = false;
};

using MakeArguments = std::function<std::string(const ToolOptions&)>;

// A command that calls `tool` with what `make` builds from the options.
Command tool_command(std::string name, std::string help, std::string tool, std::shared_ptr<ToolOptions> options,
                     MakeArguments make) {
  Command command{std::move(name), std::move(help)};
  command.run = [options = std::move(options), tool = std::move(tool),
                 make = std::move(make)](const Invocation& call) -> Result<int> {
    MEMD_TRY_ASSIGN(const auto caller, open_caller(call.settings, Need::read));
    MEMD_TRY_ASSIGN(const auto outcome, caller->tool(tool, make(*options)));
    return print(outcome, call.as_json);
  };
  return command;
}

void add_options(Command& command, std::vector<Option> options) {
  command.options.insert(command.options.end(), options.begin(), options.end());
}

void add_filter_options(Command& command, ToolOptions& o, bool since_required = false) {
  add_options(command, {{"--platform", &o.platform, "Only this agent: claude_code, cursor, …"},
                        {"--project", &o.project, "Only projects whose path contains this"},
                        {.names = "--since",
                         .target = &o.since,
                         .help = "From this time: 2026-02-09, 7d, yesterday, …",
                         .required = since_required},
                        {"--until", &o.until, "Before this time"}});
}

// Commands that look at the project of the directory they are called in.
void add_directory_option(Command& command, ToolOptions& o) {
  add_options(command, {{"--all-projects", &o.all_projects, "Not only the project of this directory"}});
}

Option kind_option(ToolOptions& o) {
  return {.names = "--kind",
          .target = &o.kind,
          .help = "Only what is noted as this: decision, problem, …",
          .one_of = {tools::kObservationChoices.begin(), tools::kObservationChoices.end()}};
}

Option size_option(ToolOptions& o) { return {"--max-tokens", &o.max_tokens, "Size of the answer", "N"}; }

void add_page_options(Command& command, ToolOptions& o) {
  add_options(command, {size_option(o), {"--cursor", &o.cursor, "Go on where an answer's `next` says"}});
}

// Empty when the directory is gone.
std::string working_directory() {
  std::error_code gone;
  return std::filesystem::current_path(gone).string();
}

ToolArguments& add_directory(ToolArguments& w, const ToolOptions& o) {
  return w.add("cwd", working_directory()).add_flag("all_projects", o.all_projects);
}

ToolArguments& add_filter(ToolArguments& w, const ToolOptions& o) {
  return w.add("platform", o.platform).add("project", o.project).add("since", o.since).add("until", o.until);
}

ToolArguments& add_page(ToolArguments& w, const ToolOptions& o) {
  return w.add("max_tokens", o.max_tokens).add("cursor", o.cursor);
}

Command search_command() {
  const auto o = std::make_shared<ToolOptions>();
  Command c = tool_command("search", "Find what was said and done", "semantic_search", o, [](const ToolOptions& x) {
    ToolArguments w;
    w.add("query", x.text)
        .add_list("also", x.also)
        .add("n_results", x.count)
        .add("session_id", x.session)
        .add("mode", x.mode);
    w.add("kind", x.kind);
    add_directory(w, x).add_flag("explain", x.explain);
    return add_page(add_filter(w, x), x).finish();
  });
  add_options(
      c, {{.names = "query", .target = &o->text, .help = "A question, names, \"a phrase\", -without", .required = true},
          {"-n", &o->count, "How many hits"},
          {"--also", &o->also, "The same in other words; up to four times"},
          {"--session", &o->session, "Only this session"},
          {.names = "--mode",
           .target = &o->mode,
           .help = "hybrid (default), lexical (by words alone) or semantic (by meaning alone)",
           .one_of = {"hybrid", "lexical", "semantic"}},
          kind_option(*o),
          {"--explain", &o->explain, "Say what each hit was ranked by"}});
  add_directory_option(c, *o);
  add_filter_options(c, *o);
  add_page_options(c, *o);
  return c;
}

Command recent_command() {
  const auto o = std::make_shared<ToolOptions>();
  Command c = tool_command("recent", "The last turns of a session", "recent_turns", o, [](const ToolOptions& x) {
    ToolArguments w;
    w.add("session_id", x.session).add("project", x.project).add("n_turns", x.count).add("style", x.style);
    return add_page(w, x).finish();
  });
  add_options(c, {{"session", &o->session, "Session id, a prefix of it, or latest (default)"},
                  {"-n", &o->count, "How many turns"},
                  {"--project", &o->project, "Latest session of this project"},
                  {"--style", &o->style, "detailed or brief"}});
  add_page_options(c, *o);
  return c;
}

Command summary_command() {
  const auto o = std::make_shared<ToolOptions>();
  Command c = tool_command(
      "summary", "What a session was about, from start to end", "session_summary", o, [](const ToolOptions& x) {
        ToolArguments w;
        w.add("session_id", x.session).add("project", x.project).add("strategy", x.strategy).add("style", x.style);
        w.add("level", x.level)
            .add("chunk", x.chunk)
            .add_decimal("compression", x.compression)
            .add("max_seconds", x.max_seconds);
        return add_page(w, x).finish();
      });
  add_options(c, {{"session", &o->session, "Session id, a prefix of it, or latest (default)"},
                  {"--project", &o->project, "Latest session of this project"},
                  {"--strategy", &o->strategy,
                   "auto (default), extractive, chronological, hierarchical, map_reduce, recursive or abstractive"},
                  {"--style", &o->style, "technical (default), narrative or topical"},
                  {"--level", &o->level, "1: its chunks, 2: the session, 3: an abstract"},
                  {"--chunk", &o->chunk, "One chunk, from 0"},
                  {"--compression", &o->compression, "Percent to leave out: 30, 70, 90"},
                  {"--max-seconds", &o->max_seconds, "How long a language model may take"}});
  add_page_options(c, *o);
  return c;
}

Command resume_command() {
  const auto o = std::make_shared<ToolOptions>();
  Command c = tool_command("resume", "What an agent was doing: goal, decisions, files, commands, next steps",
                           "resume_context", o, [](const ToolOptions& x) {
                             ToolArguments w;
                             w.add("session_id", x.session)
                                 .add("project", x.project)
                                 .add("before", x.before)
                                 .add("complement", x.complement);
                             if (x.session.empty() && x.project.empty()) w.add("cwd", working_directory());
                             return w.add("max_tokens", x.max_tokens).finish();
                           });
  add_options(c,
              {{"session", &o->session,
                "Session id, a prefix of it, or latest; default: the latest of this directory's project"},
               {"--project", &o->project, "Latest session of this project"},
               {"--before", &o->before, "compaction (the last), end, a compaction's number, or auto (default)"},
               {"--complement", &o->complement, "Leave out what the agent's own summary says: auto, always or never"},
               size_option(*o)});
  return c;
}

Command sessions_command() {
  const auto o = std::make_shared<ToolOptions>();
  Command c = tool_command("sessions", "List sessions, newest first", "list_sessions", o, [](const ToolOptions& x) {
    ToolArguments w;
    w.add("n_results", x.count).add_flag("include_subagents", x.subagents).add("state", x.state);
    ToolOptions paged = x;
    if (x.count && !paged.max_tokens) paged.max_tokens = 8000;
    return add_page(add_filter(w, x), paged).finish();
  });
  add_options(c, {{"-n", &o->count, "How many"},
                  {"--subagents", &o->subagents, "Subagents too"},
                  {.names = "--state",
                   .target = &o->state,
                   .help = "Only those that are started, active, stopped or capture_disabled",
                   .one_of = {"started", "active", "stopped", "capture_disabled"}}});
  add_filter_options(c, *o);
  add_page_options(c, *o);
  return c;
}

Command topic_command() {
  const auto o = std::make_shared<ToolOptions>();
  Command c = tool_command("topic", "How a topic went on, session by session; without one, what was talked about",
                           "topic_search", o, [](const ToolOptions& x) {
                             ToolArguments w;
                             w.add("topic", x.text).add("session_id", x.session).add("kind", x.kind);
                             add_directory(w, x);
                             return add_page(add_filter(w, x), x).finish();
                           });
  add_options(c, {{"topic", &o->text, "The topic; none: the topics there are"},
                  {"--session", &o->session, "Only this session"},
                  kind_option(*o)});
  add_directory_option(c, *o);
  add_filter_options(c, *o);
  add_page_options(c, *o);
  return c;
}

Command observations_command() {
  const auto o = std::make_shared<ToolOptions>();
  Command c = tool_command("observations", "What was decided, found, broken and fixed, newest first",
                           "list_observations", o, [](const ToolOptions& x) {
                             ToolArguments w;
                             w.add("kind", x.kind).add("session_id", x.session).add("n_results", x.count);
                             add_directory(w, x);
                             return add_page(add_filter(w, x), x).finish();
                           });
  add_options(c, {kind_option(*o), {"--session", &o->session, "Only this session"}, {"-n", &o->count, "How many"}});
  add_directory_option(c, *o);
  add_filter_options(c, *o);
  add_page_options(c, *o);
  return c;
}

Command timeline_command() {
  const auto o = std::make_shared<ToolOptions>();
  Command c =
      tool_command("timeline", "What happened between two times", "temporal_query", o, [](const ToolOptions& x) {
        ToolArguments w;
        return add_page(add_filter(add_directory(w, x), x), x).finish();
      });
  add_directory_option(c, *o);
  add_filter_options(c, *o, true);
  add_page_options(c, *o);
  return c;
}

Command show_command() {
  const auto o = std::make_shared<ToolOptions>();
  Command c = tool_command("show", "Exchanges, whole", "get_exchange", o, [](const ToolOptions& x) {
    ToolArguments w;
    w.add_list("ids", x.ids).add("around", x.around).add_flag("include_tools", x.tools);
    ToolOptions paged = x;
    if (!paged.max_tokens) paged.max_tokens = 8000;
    return add_page(w, paged).finish();
  });
  add_options(
      c,
      {{.names = "id", .target = &o->ids, .help = "Exchange ids as other commands print them: x42", .required = true},
       {"--around", &o->around, "With so many exchanges before and after"},
       {"--tools", &o->tools, "With tool calls and results"}});
  add_page_options(c, *o);
  return c;
}

Command file_history_command() {
  const auto o = std::make_shared<ToolOptions>();
  Command c =
      tool_command("file-history", "Who changed a file, and why; or which session made a commit", "file_history", o,
                   [](const ToolOptions& x) {
                     ToolArguments w;
                     const bool here = x.text.starts_with("./") || x.text.starts_with("../");
                     w.add("path", here ? std::filesystem::absolute(x.text).lexically_normal().string() : x.text);
                     w.add("lines", x.lines).add("symbol", x.symbol).add("commit", x.commit).add("access", x.mode);
                     return add_page(add_filter(w, x), x).finish();
                   });
  add_options(c, {{"path", &o->text, "A path, its end, a name, a directory or a pattern"},
                  {"--lines", &o->lines, "Only edits of these lines: 120-180"},
                  {"--symbol", &o->symbol, "Only edits of lines with this text"},
                  {"--commit", &o->commit, "The session that made this commit"},
                  {.names = "--access",
                   .target = &o->mode,
                   .help = "any (default), modified or read",
                   .one_of = {"any", "modified", "read"}}});
  add_filter_options(c, *o);
  add_page_options(c, *o);
  return c;
}

Command capabilities_command() {
  const auto markdown = std::make_shared<bool>(false);
  Command c{"capabilities", "What works on which platform"};
  c.options = {
      {"--markdown", markdown.get(), "As docs/capabilities.md: what the adapters declare, whatever is configured"}};
  c.run = [markdown](const Invocation& call) -> Result<int> {
    if (*markdown) {
      std::cout << tools::matrix_markdown(describe_adapters(Config{}));
      return kOk;
    }
    if (!call.as_json) {
      std::cout << tools::matrix_table(describe_adapters(call.settings.config));
      return kOk;
    }
    MEMD_TRY_ASSIGN(const auto caller, open_caller(call.settings, Need::read));
    MEMD_TRY_ASSIGN(const auto outcome, caller->tool("capabilities", R"({"max_tokens":8000})"));
    return print(outcome, true);
  };
  return c;
}

Command tools_command() {
  Command c{"tools", "The tools agents are offered, with their schemas (JSON)"};
  c.run = [](const Invocation& call) -> Result<int> {
    MEMD_TRY_ASSIGN(const auto caller, open_caller(call.settings, Need::read));
    MEMD_TRY_ASSIGN(const std::string list, caller->tool_list());
    std::cout << list << '\n';
    return kOk;
  };
  return c;
}

Command call_command() {
  struct CallOptions {
    std::string tool;
    std::string arguments = "{}";
  };
  const auto o = std::make_shared<CallOptions>();
  Command c{"call", "Call a tool by name"};
  c.options = {{.names = "tool", .target = &o->tool, .help = "Name of the tool, see `memd tools`", .required = true},
               {"arguments", &o->arguments, "JSON object"}};
  c.run = [o](const Invocation& call) -> Result<int> {
    MEMD_TRY_ASSIGN(const auto caller, open_caller(call.settings, Need::read));
    MEMD_TRY_ASSIGN(const auto outcome, caller->tool(o->tool, o->arguments));
    return print(outcome, call.as_json);
  };
  return c;
}

}  // namespace

std::vector<Command> tool_commands() {
  return {search_command(),       recent_command(),       summary_command(),  resume_command(), sessions_command(),
          topic_command(),        observations_command(), timeline_command(), show_command(),   file_history_command(),
          capabilities_command(), tools_command(),        call_command()};
}

}  // namespace memd::cli
