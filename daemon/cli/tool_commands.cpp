// Commands that are one tool call each.
#include "daemon/cli/argument_writer.hpp"
#include "daemon/cli/command_context.hpp"
#include "daemon/serve/memory_host.hpp"
#include "daemon/tools/capability_matrix.hpp"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <iostream>
#include <memory>

namespace memd::cli {
namespace {

struct Options {
  std::string text;
  std::vector<std::string> ids;
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
  std::string lines;
  std::string symbol;
  std::string commit;
  std::string before;
  std::string complement;
  bool explain = false;
  bool tools = false;
  bool subagents = false;
};

using MakeArguments = std::function<std::string(const Options&)>;

// A command that calls `tool` with what `make` builds from the options.
std::shared_ptr<Options> tool_command(CLI::App& command, CommandContext& context, std::string tool,
                                      MakeArguments make) {
  auto options = std::make_shared<Options>();
  command.callback([&context, options, tool = std::move(tool), make = std::move(make)] {
    context.action = [&context, options, tool, make](const Settings& settings) -> Result<int> {
      MEMD_TRY_ASSIGN(const auto caller, open_caller(settings, Need::read));
      MEMD_TRY_ASSIGN(const auto outcome, caller->tool(tool, make(*options)));
      return print(outcome, context.global.json);
    };
  });
  return options;
}

void filter_options(CLI::App& command, Options& o) {
  command.add_option("--platform", o.platform, "Only this agent: claude_code, cursor, …");
  command.add_option("--project", o.project, "Only projects whose path contains this");
  command.add_option("--since", o.since, "From this time: 2026-02-09, 7d, yesterday, …");
  command.add_option("--until", o.until, "Before this time");
}

void page_options(CLI::App& command, Options& o) {
  command.add_option("--max-tokens", o.max_tokens, "Size of the answer")->type_name("N");
  command.add_option("--cursor", o.cursor, "Go on where an answer's `next` says");
}

ArgumentWriter& add_filter(ArgumentWriter& w, const Options& o) {
  return w.add("platform", o.platform).add("project", o.project).add("since", o.since).add("until", o.until);
}

ArgumentWriter& add_page(ArgumentWriter& w, const Options& o) {
  return w.add("max_tokens", o.max_tokens).add("cursor", o.cursor);
}

// Empty when it is gone.
std::string working_directory() {
  std::error_code gone;
  return std::filesystem::current_path(gone).string();
}

void add_search(CLI::App& app, CommandContext& context) {
  auto* c = app.add_subcommand("search", "Find what was said and done");
  const auto o = tool_command(*c, context, "semantic_search", [](const Options& x) {
    ArgumentWriter w;
    w.add("query", x.text).add("n_results", x.count).add("session_id", x.session).add("mode", x.mode);
    w.add("cwd", working_directory()).add_flag("explain", x.explain);
    return add_page(add_filter(w, x), x).finish();
  });
  c->add_option("query", o->text, "A question, names, \"a phrase\", -without")->required();
  c->add_option("-n", o->count, "How many hits");
  c->add_option("--session", o->session, "Only this session");
  c->add_option("--mode", o->mode, "hybrid (default), lexical (by words alone) or semantic (by meaning alone)")
      ->check(CLI::IsMember({"hybrid", "lexical", "semantic"}));
  c->add_flag("--explain", o->explain, "Say what each hit was ranked by");
  filter_options(*c, *o);
  page_options(*c, *o);
}

void add_recent(CLI::App& app, CommandContext& context) {
  auto* c = app.add_subcommand("recent", "The last turns of a session");
  const auto o = tool_command(*c, context, "recent_turns", [](const Options& x) {
    ArgumentWriter w;
    w.add("session_id", x.session).add("project", x.project).add("n_turns", x.count).add("style", x.style);
    return add_page(w, x).finish();
  });
  c->add_option("session", o->session, "Session id, a prefix of it, or latest (default)");
  c->add_option("-n", o->count, "How many turns");
  c->add_option("--project", o->project, "Latest session of this project");
  c->add_option("--style", o->style, "detailed or brief");
  page_options(*c, *o);
}

void add_summary(CLI::App& app, CommandContext& context) {
  auto* c = app.add_subcommand("summary", "What a session was about, from start to end");
  const auto o = tool_command(*c, context, "session_summary", [](const Options& x) {
    ArgumentWriter w;
    w.add("session_id", x.session).add("project", x.project).add("strategy", x.strategy).add("style", x.style);
    w.add("level", x.level)
        .add("chunk", x.chunk)
        .add_decimal("compression", x.compression)
        .add("max_seconds", x.max_seconds);
    return add_page(w, x).finish();
  });
  c->add_option("session", o->session, "Session id, a prefix of it, or latest (default)");
  c->add_option("--project", o->project, "Latest session of this project");
  c->add_option("--strategy", o->strategy,
                "auto (default), extractive, chronological, hierarchical, map_reduce, recursive or abstractive");
  c->add_option("--style", o->style, "technical (default), narrative or topical");
  c->add_option("--level", o->level, "1: its chunks, 2: the session, 3: an abstract");
  c->add_option("--chunk", o->chunk, "One chunk, from 0");
  c->add_option("--compression", o->compression, "Percent to leave out: 30, 70, 90");
  c->add_option("--max-seconds", o->max_seconds, "How long a language model may take");
  page_options(*c, *o);
}

void add_resume(CLI::App& app, CommandContext& context) {
  auto* c = app.add_subcommand("resume", "What an agent was doing: goal, decisions, files, commands, next steps");
  const auto o = tool_command(*c, context, "resume_context", [](const Options& x) {
    ArgumentWriter w;
    w.add("session_id", x.session).add("project", x.project).add("before", x.before).add("complement", x.complement);
    if (x.session.empty() && x.project.empty()) w.add("cwd", working_directory());
    return w.add("max_tokens", x.max_tokens).finish();
  });
  c->add_option("session", o->session,
                "Session id, a prefix of it, or latest; default: the latest of this directory's project");
  c->add_option("--project", o->project, "Latest session of this project");
  c->add_option("--before", o->before, "compaction (the last), end, a compaction's number, or auto (default)");
  c->add_option("--complement", o->complement, "Leave out what the agent's own summary says: auto, always or never");
  c->add_option("--max-tokens", o->max_tokens, "Size of the answer")->type_name("N");
}

void add_sessions(CLI::App& app, CommandContext& context) {
  auto* c = app.add_subcommand("sessions", "List sessions, newest first");
  const auto o = tool_command(*c, context, "list_sessions", [](const Options& x) {
    ArgumentWriter w;
    w.add("n_results", x.count).add_flag("include_subagents", x.subagents);
    Options paged = x;
    if (x.count && !paged.max_tokens) paged.max_tokens = 8000;
    return add_page(add_filter(w, x), paged).finish();
  });
  c->add_option("-n", o->count, "How many");
  c->add_flag("--subagents", o->subagents, "Subagents too");
  filter_options(*c, *o);
  page_options(*c, *o);
}

void add_topic(CLI::App& app, CommandContext& context) {
  auto* c = app.add_subcommand("topic", "How a topic went on, session by session; without one, what was talked about");
  const auto o = tool_command(*c, context, "topic_search", [](const Options& x) {
    ArgumentWriter w;
    w.add("topic", x.text).add("session_id", x.session);
    return add_page(add_filter(w, x), x).finish();
  });
  c->add_option("topic", o->text, "The topic; none: the topics there are");
  c->add_option("--session", o->session, "Only this session");
  filter_options(*c, *o);
  page_options(*c, *o);
}

void add_timeline(CLI::App& app, CommandContext& context) {
  auto* c = app.add_subcommand("timeline", "What happened between two times");
  const auto o = tool_command(*c, context, "temporal_query", [](const Options& x) {
    ArgumentWriter w;
    return add_page(add_filter(w, x), x).finish();
  });
  filter_options(*c, *o);
  c->get_option("--since")->required();
  page_options(*c, *o);
}

void add_show(CLI::App& app, CommandContext& context) {
  auto* c = app.add_subcommand("show", "Exchanges, whole");
  const auto o = tool_command(*c, context, "get_exchange", [](const Options& x) {
    ArgumentWriter w;
    w.add_list("ids", x.ids).add("around", x.around).add_flag("include_tools", x.tools);
    Options paged = x;
    if (!paged.max_tokens) paged.max_tokens = 8000;
    return add_page(w, paged).finish();
  });
  c->add_option("id", o->ids, "Exchange ids as other commands print them: x42")->required();
  c->add_option("--around", o->around, "With so many exchanges before and after");
  c->add_flag("--tools", o->tools, "With tool calls and results");
  page_options(*c, *o);
}

void add_file_history(CLI::App& app, CommandContext& context) {
  auto* c = app.add_subcommand("file-history", "Who changed a file, and why; or which session made a commit");
  const auto o = tool_command(*c, context, "file_history", [](const Options& x) {
    ArgumentWriter w;
    const bool here = x.text.starts_with("./") || x.text.starts_with("../");
    w.add("path", here ? std::filesystem::absolute(x.text).lexically_normal().string() : x.text);
    w.add("lines", x.lines).add("symbol", x.symbol).add("commit", x.commit).add("access", x.mode);
    return add_page(add_filter(w, x), x).finish();
  });
  c->add_option("path", o->text, "A path, its end, a name, a directory or a pattern");
  c->add_option("--lines", o->lines, "Only edits of these lines: 120-180");
  c->add_option("--symbol", o->symbol, "Only edits of lines with this text");
  c->add_option("--commit", o->commit, "The session that made this commit");
  c->add_option("--access", o->mode, "any (default), modified or read")
      ->check(CLI::IsMember({"any", "modified", "read"}));
  filter_options(*c, *o);
  page_options(*c, *o);
}

void add_capabilities(CLI::App& app, CommandContext& context) {
  auto* c = app.add_subcommand("capabilities", "What works on which platform");
  auto markdown = std::make_shared<bool>(false);
  c->add_flag("--markdown", *markdown, "As docs/capabilities.md: what the adapters declare, whatever is configured");
  c->callback([&context, markdown] {
    context.action = [&context, markdown](const Settings& settings) -> Result<int> {
      if (*markdown) {
        std::cout << tools::matrix_markdown(describe_adapters(Config{}));
        return 0;
      }
      if (!context.global.json) {
        std::cout << tools::matrix_table(describe_adapters(settings.config));
        return 0;
      }
      MEMD_TRY_ASSIGN(const auto caller, open_caller(settings, Need::read));
      MEMD_TRY_ASSIGN(const auto outcome, caller->tool("capabilities", R"({"max_tokens":8000})"));
      return print(outcome, true);
    };
  });
}

void add_call(CLI::App& app, CommandContext& context) {
  auto* c = app.add_subcommand("call", "Call a tool by name");
  auto name = std::make_shared<std::string>();
  auto arguments = std::make_shared<std::string>("{}");
  c->add_option("tool", *name, "Name of the tool, see `memd tools`")->required();
  c->add_option("arguments", *arguments, "JSON object");
  c->callback([&context, name, arguments] {
    context.action = [&context, name, arguments](const Settings& settings) -> Result<int> {
      MEMD_TRY_ASSIGN(const auto caller, open_caller(settings, Need::read));
      MEMD_TRY_ASSIGN(const auto outcome, caller->tool(*name, *arguments));
      return print(outcome, context.global.json);
    };
  });
}

void add_tools(CLI::App& app, CommandContext& context) {
  auto* c = app.add_subcommand("tools", "The tools agents are offered, with their schemas (JSON)");
  c->callback([&context] {
    context.action = [](const Settings& settings) -> Result<int> {
      MEMD_TRY_ASSIGN(const auto caller, open_caller(settings, Need::read));
      MEMD_TRY_ASSIGN(const std::string list, caller->tool_list());
      std::cout << list << '\n';
      return 0;
    };
  });
}

}  // namespace

void add_tool_commands(CLI::App& app, CommandContext& context) {
  add_search(app, context);
  add_recent(app, context);
  add_summary(app, context);
  add_resume(app, context);
  add_sessions(app, context);
  add_topic(app, context);
  add_timeline(app, context);
  add_show(app, context);
  add_file_history(app, context);
  add_capabilities(app, context);
  add_tools(app, context);
  add_call(app, context);
}

}  // namespace memd::cli
