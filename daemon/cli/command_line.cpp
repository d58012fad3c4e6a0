// The one source that includes CLI11.
#include "daemon/cli/command.hpp"

#include "daemon/serve/service.hpp"
#include "daemon/version.hpp"
#include "schemas/harmless.hpp"
#include "schemas/time.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <iostream>
#include <memory>
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
  memd memory write --type decision --title "Use WAL" --tags sqlite,store notes.md    a memory, as a file of yours
  memd status                                 what the daemon is doing
  memd doctor                                 whether all is well, and what to do if not
  memd open latest                            the latest session again, in its own agent
  memd handoff latest --to codex --start      and in another one
  memd setup                                  find the agents here and register with them

Exit codes: 0 done, 1 could not be done (the message says why), 2 wrong usage or configuration.)";

CLI::Option* add_to(CLI::App& app, const Option& option, bool* flag) {
  return app.add_flag(option.names, *flag, option.help);
}

template <class Value>
CLI::Option* add_to(CLI::App& app, const Option& option, Value* value) {
  return app.add_option(option.names, *value, option.help);
}

void add_option(CLI::App& app, const Option& option) {
  CLI::Option* added = std::visit([&](auto* target) { return add_to(app, option, target); }, option.target);
  if (!option.value_name.empty()) added->type_name(option.value_name);
  if (option.required) added->required();
  if (!option.one_of.empty()) added->check(CLI::IsMember(option.one_of));
  if (option.between) added->check(CLI::Range(option.between->first, option.between->second));
  if (option.existing_file) added->check(CLI::ExistingFile);
}

// `chosen` is set when the command is the one that was given.
void add_command(CLI::App& parent, const Command& command, const Command*& chosen) {
  CLI::App* app = parent.add_subcommand(command.name, command.help);
  for (const Option& option : command.options)
    add_option(*app, option);
  for (const Command& sub : command.subcommands)
    add_command(*app, sub, chosen);
  if (!command.subcommands.empty()) app->require_subcommand(1);
  if (!command.run) return;
  app->callback([&command, &chosen] {
    if (command.begin) command.begin();
    chosen = &command;
  });
}

// --stdio, --standalone and --socket: memd serves instead of running a command.
class ServeOptions {
 public:
  explicit ServeOptions(CLI::App& app) {
    auto* stdio = app.add_flag("--stdio", stdio_, "Serve MCP on stdin and stdout, through the daemon");
    app.add_flag("--standalone", standalone_, "With --stdio: without a daemon, all in this process")->needs(stdio);
    socket_option_ = app.add_option("--socket", socket_, "Be the daemon, on this Unix socket or the usual one")
                         ->expected(0, 1)
                         ->type_name("[PATH]")
                         ->excludes(stdio);
  }

  bool given() const { return stdio_ || socket_option_->count() > 0; }
  Result<int> serve(const Settings& settings) const {
    if (stdio_) return standalone_ ? serve_stdio_standalone(settings) : serve_stdio_pump(settings);
    return serve_socket(settings, socket_);
  }

 private:
  bool stdio_ = false;
  bool standalone_ = false;
  std::optional<std::string> socket_;
  CLI::Option* socket_option_ = nullptr;
};

std::string words(const CLI::App& app) {
  std::string out;
  for (const auto* option : app.get_options())
    for (const auto& name : option->get_lnames())
      out += "--" + name + " ";
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; }))
    out += command->get_name() + " ";
  return out;
}

// The scripts are made from the parser, so they cannot fall behind it.
std::string bash_script(const CLI::App& app) {
  std::string cases;
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; }))
    cases += "    " + command->get_name() + ") words=\"" + words(*command) + words(app) + "\" ;;\n";
  return "_memd() {\n  local cur=${COMP_WORDS[COMP_CWORD]} words=\"" + words(app) + "\"\n  case ${COMP_WORDS[1]} in\n" +
         cases + "  esac\n  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n}\ncomplete -o default -F _memd memd\n";
}

std::string fish_script(const CLI::App& app) {
  std::string out = "complete -c memd -f\n";
  for (const auto* option : app.get_options())
    for (const auto& name : option->get_lnames())
      out += "complete -c memd -l " + name + "\n";
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    out += "complete -c memd -n __fish_use_subcommand -a " + command->get_name() + " -d '" +
           command->get_description() + "'\n";
    for (const auto* option : command->get_options())
      for (const auto& name : option->get_lnames())
        out += "complete -c memd -n '__fish_seen_subcommand_from " + command->get_name() + "' -l " + name + "\n";
  }
  return out;
}

Command completion_command(const CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  Command command{"completion", "Print a completion script: bash, zsh or fish"};
  command.options = {{.names = "shell",
                      .target = shell.get(),
                      .help = "bash, zsh or fish",
                      .required = true,
                      .one_of = {"bash", "zsh", "fish"}}};
  command.run = [&app, shell](const Invocation&) -> Result<int> {
    if (*shell == "fish")
      std::cout << fish_script(app);
    else if (*shell == "zsh")
      std::cout << "autoload -U +X bashcompinit && bashcompinit\n" << bash_script(app);
    else
      std::cout << bash_script(app);
    return kOk;
  };
  return command;
}

std::vector<Command> all_commands(const CLI::App& app) {
  std::vector<Command> out = tool_commands();
  for (Command& command : admin_commands())
    out.push_back(std::move(command));
  for (Command& command : interchange_commands())
    out.push_back(std::move(command));
  out.push_back(key_command());
  out.push_back(hook_command());
  out.push_back(report_command());
  out.push_back(memory_command());
  for (Command& command : session_commands())
    out.push_back(std::move(command));
  out.push_back(setup_command());
  for (Command& command : service_commands())
    out.push_back(std::move(command));
  out.push_back(completion_command(app));
  return out;
}

int report(const Error& error) {
  std::cerr << "memd: " << harmless(error.message()) << '\n';
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
  GlobalOptions global;
  for (const Option& option : {
           Option{"--data-dir", &global.data_dir, "Where the store is (default: $XDG_DATA_HOME/memd)", "DIR"},
           Option{"--home", &global.home, "Where agents' storage is looked for (default: $HOME)", "DIR"},
           Option{"--config", &global.config, "Configuration file, YAML", "FILE"},
           Option{"--project", &global.project, "Directory of the project whose memories are meant", "DIR"},
           Option{"--json", &global.json, "Print JSON"},
       })
    add_option(app, option);
  const ServeOptions serving(app);
  const std::vector<Command> commands = all_commands(app);
  const Command* chosen = nullptr;
  for (const Command& command : commands)
    add_command(app, command, chosen);
  app.footer(kExamples);  // last: subcommands made after it would repeat it

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    const int code = app.exit(e);
    if (code == 0) return kOk;
    return app.get_subcommand("hook")->parsed() ? kFailed : kUsage;  // 2 of a hook is a veto to agents
  }
  if (!serving.given() && chosen == nullptr) {
    std::cout << app.help();
    return kUsage;
  }
  const auto settings = resolve_settings(global, Environment::current());
  if (!settings) return chosen != nullptr && chosen->fails_open ? kOk : report(settings.error());
  use_time_zone(settings->config.time_zone);
  const auto code = serving.given() ? serving.serve(*settings) : chosen->run({*settings, global.json});
  return code ? *code : report(code.error());
}

}  // namespace

int run(int argc, char** argv) {
  try {
    return run_app(argc, argv);
  } catch (const ErrorException& e) {
    return report(e.error());
  } catch (const std::exception& e) {
    std::cerr << "memd: " << harmless(e.what()) << '\n';
    return kFailed;
  }
}

}  // namespace memd::cli
