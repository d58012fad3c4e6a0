#include "daemon/cli/command_line.hpp"

#include "daemon/cli/command_context.hpp"
#include "daemon/version.hpp"
#include "schemas/local_time.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <iostream>
#include <string>

namespace memd::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  memd ingest --once                          read all history found below $HOME
  memd search "why did we drop redis"         find what was said about something
  memd recent latest -n 5                     the last turns of the latest session
  memd timeline --since 7d                    what happened in the last week
  memd show x42                               one exchange, whole
  memd file-history src/main.cpp --lines 40-60    who changed these lines, and why
  memd export latest -o session.jsonl         a session as a file of events, for another memd or another tool
  memd export latest --format html -o s.html  the same to read, in a browser
  memd report --since 30d -o report.html      a month on one page: sessions, topics, tokens, files, coverage
  memd import session.jsonl                   and back
  memd status                                 what the daemon is doing
  memd doctor                                 whether all is well, and what to do if not
  claude mcp add --scope user memd -- memd --stdio    register with Claude Code

Exit codes: 0 done, 1 could not be done (the message says why), 2 wrong usage or configuration.)";

int report(const Error& error) {
  std::cerr << "memd: " << error.message() << '\n';
  return error.is(Errc::bad_config) || error.is(Errc::invalid_argument) ? kUsage : kFailed;
}

int run_app(int argc, char** argv) {
  CLI::App app{"Memory for coding agents: their history on this machine, searchable by any agent over MCP.", "memd"};
  app.set_version_flag("--version", "memd " + std::string(version()));
  app.failure_message([](const CLI::App*, const CLI::Error& e) {
    return std::string("memd: ") + e.what() +
           "\nmemd --help lists the commands, memd COMMAND --help what each takes.\n";
  });
  app.fallthrough();  // global options may follow the command
  CommandContext context;
  app.add_option("--data-dir", context.global.data_dir, "Where the store is (default: $XDG_DATA_HOME/memd)")
      ->type_name("DIR");
  app.add_option("--home", context.global.home, "Where agents' storage is looked for (default: $HOME)")
      ->type_name("DIR");
  app.add_option("--config", context.global.config, "Configuration file, YAML")->type_name("FILE");
  app.add_flag("--json", context.global.json, "Print JSON");
  add_serve_options(app, context);
  add_tool_commands(app, context);
  add_admin_commands(app, context);
  add_rebuild_command(app, context);
  add_interchange_commands(app, context);
  add_hook_command(app, context);
  add_report_command(app, context);
  add_completion_command(app, context);
  app.footer(kExamples);  // last: subcommands made after it would repeat it

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    const int code = app.exit(e);
    if (code == 0) return kOk;
    return app.get_subcommand("hook")->parsed() ? kFailed : kUsage;  // 2 of a hook is a veto to agents
  }
  if (!context.action) {
    std::cout << app.help();
    return kUsage;
  }
  const auto settings = resolve_settings(context.global, Environment::current());
  if (!settings) return context.fails_open ? kOk : report(settings.error());
  use_time_zone(settings->config.time_zone);
  const auto code = context.action(*settings);
  return code ? *code : report(code.error());
}

}  // namespace

int run(int argc, char** argv) {
  try {
    return run_app(argc, argv);
  } catch (const ErrorException& e) {
    return report(e.error());
  } catch (const std::exception& e) {
    std::cerr << "memd: " << e.what() << '\n';
    return kFailed;
  }
}

int print(const mcp::ToolOutcome& outcome, bool as_json) {
  if (outcome.is_error) {
    std::cerr << "memd: " << outcome.text << '\n';
    return kFailed;
  }
  const std::string& text = as_json ? outcome.structured : outcome.text;
  std::cout << text << (text.ends_with('\n') ? "" : "\n") << std::flush;
  return std::cout.good() ? kOk : kFailed;
}

}  // namespace memd::cli
