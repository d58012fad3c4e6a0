// The only source that includes CLI11.
#include "daemon/cli/command.hpp"

#include "daemon/cli/completion.hpp"
#include "daemon/cli/manual.hpp"
#include "daemon/cli/render/words.hpp"
#include "daemon/cli/spelling.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/serve/service.hpp"
#include "daemon/version.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/harmless.hpp"
#include "schemas/base/time.hpp"
#include "schemas/platform.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace memd::cli {
namespace {

CLI::Option* add_to(CLI::App& app, const Option& option, bool* flag) {
  return app.add_flag(option.names, *flag, option.help);
}

template <class Value>
CLI::Option* add_to(CLI::App& app, const Option& option, Value* value) {
  return app.add_option(option.names, *value, option.help);
}

// Returns the key of an agent by any of its names, such as "claude" or "Claude Code"; other words as they are.
std::string choice_named(std::string word) {
  const auto platform = parse_platform(word);
  return platform ? std::string(to_string(*platform)) : word;
}

void add_option(CLI::App& app, const Option& option) {
  CLI::Option* added = std::visit([&](auto* target) { return add_to(app, option, target); }, option.target);
  if (!option.value_name.empty()) added->type_name(option.value_name);
  if (option.required) added->required();
  if (!option.one_of.empty()) added->transform(CLI::IsMember(option.one_of, choice_named));
  if (option.between) added->check(CLI::Range(option.between->first, option.between->second));
  if (option.existing_file) added->check(CLI::ExistingFile);
  if (!option.bare_value.empty()) added->expected(0, 1)->default_str(option.bare_value);
}

// Adds a command to the parser. `chosen` is set when the command line names it.
void add_command(CLI::App& parent, const Command& command, const Command*& chosen) {
  CLI::App* app = parent.add_subcommand(command.name, command.help);
  if (command.hidden) app->group("");
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

// All commands and global options of `memd`. Not movable, because the options point into it.
class Offer {
 public:
  Offer() {
    global_ = {
        {"--data-dir", &settings_.data_dir, "Where the store is (default: $XDG_DATA_HOME/memd)", "DIR"},
        {"--home", &settings_.home, "Where agents' storage is looked for (default: $HOME)", "DIR"},
        {"--config", &settings_.config, "Configuration file, YAML", "FILE"},
        {"--project", &settings_.project, "Directory of the project whose memories are meant", "DIR"},
        {"--json", &settings_.json, "Print one JSON document; `memd schema COMMAND` prints its schema"},
        {.names = "--color",
         .target = &look_.colour,
         .help = "Whether output has colour: auto (default: on a terminal), always or never",
         .one_of = {"auto", "always", "never"}},
        {"--no-pager", &look_.no_pager, "Print long output at once, not a page at a time"},
    };
    take(history_commands());
    commands_.push_back(browse_command());
    commands_.push_back(web_command());
    take(interchange_commands());
    commands_.push_back(share_command());
    commands_.push_back(report_command());
    commands_.push_back(usage_command());
    commands_.push_back(statusline_command());
    commands_.push_back(memory_command());
    take(admin_commands());
    take(tool_commands());
    take(session_commands());
    commands_.push_back(setup_command());
    take(service_commands());
    commands_.push_back(key_command());
    commands_.push_back(platform_command());
    commands_.push_back(hook_command());
    take(completion_commands(commands_, global_));
    commands_.push_back(manual_command());
    commands_.push_back(schema_command());
  }
  Offer(const Offer&) = delete;
  Offer& operator=(const Offer&) = delete;

  const std::vector<Command>& commands() const { return commands_; }
  const std::vector<Option>& global() const { return global_; }
  const GlobalOptions& settings() const { return settings_; }
  const LookOptions& look() const { return look_; }

  const Command* find(std::string_view name) const {
    const auto found = std::ranges::find(commands_, name, &Command::name);
    return found == commands_.end() ? nullptr : &*found;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> out{"help"};
    for (const Command& command : commands_)
      if (!command.hidden) out.push_back(command.name);
    return out;
  }

 private:
  void take(std::vector<Command> commands) { std::ranges::move(commands, std::back_inserter(commands_)); }

  // Prints manual pages. The build runs it to write all of them.
  Command manual_command() {
    struct ManualOptions {
      std::string command;
      std::string directory;
    };
    const auto o = std::make_shared<ManualOptions>();
    Command c{"man", "Print a manual page in the language of man(7), or write all of them"};
    c.hidden = true;
    c.fails_open = true;
    c.runs_without_settings = true;
    c.options = {{"command", &o->command, "The command; none: memd itself"},
                 {"--all", &o->directory, "Write all pages to this directory", "DIR"}};
    c.run = [this, o](const Invocation&) -> Result<int> {
      if (!o->directory.empty()) return write_manual(o->directory);
      const Command* one = find(o->command);
      if (one == nullptr && !o->command.empty()) return Error(Errc::invalid_argument, unknown_command(o->command));
      std::cout << (one == nullptr ? manual_page(commands_, global_) : manual_page(*one));
      return kOk;
    };
    return c;
  }

  Result<int> write_manual(const std::string& directory) const {
    const auto write = [&](const std::string& name, const std::string& page) {
      std::ofstream(std::filesystem::path(directory) / (name + ".1")) << page;
    };
    std::error_code failed;
    std::filesystem::create_directories(directory, failed);
    if (failed) return Error(Errc::io, "create " + directory + ": " + failed.message());
    write("memd", manual_page(commands_, global_));
    for (const Command& command : commands_)
      if (!command.hidden) write("memd-" + command.name, manual_page(command));
    return kOk;
  }

  Command schema_command() {
    const auto words = std::make_shared<std::vector<std::string>>();
    Command c{"schema", "Print the JSON Schema of what a command prints with --json"};
    c.own_json = true;
    c.fails_open = true;
    c.runs_without_settings = true;
    c.options = {{"command", words.get(), "The command: search, memory list, …; none: the commands that have one"}};
    c.run = [this, words](const Invocation&) -> Result<int> {
      if (words->empty()) {
        for (const Command& command : commands_) {
          if (command.json_schema) std::cout << command.name << '\n';
          for (const Command& sub : command.subcommands)
            if (sub.json_schema) std::cout << command.name << ' ' << sub.name << '\n';
        }
        return kOk;
      }
      const Command* one = find(words->front());
      if (one == nullptr) return Error(Errc::invalid_argument, unknown_command(words->front()));
      if (words->size() > 1 && !one->json_schema) {
        const auto sub = std::ranges::find(one->subcommands, words->at(1), &Command::name);
        if (sub != one->subcommands.end()) one = &*sub;
      }
      if (!one->json_schema)
        return Error(Errc::not_found,
                     "there is no schema of `memd " + one->name + "`; memd schema lists those there are");
      std::cout << one->json_schema() << '\n';
      return kOk;
    };
    return c;
  }

 public:
  // Returns "there is no command `serach`: did you mean `memd search`?"
  std::string unknown_command(const std::string& typed) const {
    const std::string near = nearest_name(typed, names());
    return "there is no command `" + typed + "`" +
           (near.empty() ? "; memd help lists them" : ": did you mean `memd " + near + "`?");
  }

 private:
  GlobalOptions settings_;
  LookOptions look_;
  std::vector<Option> global_;
  std::vector<Command> commands_;
};

// Returns the index of the command: the first argument that is neither an option nor an option's value.
std::size_t place_of_command(const Offer& offer, const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].starts_with('-')) return i;
    const auto option = std::ranges::find(offer.global(), arguments[i], &Option::names);
    if (option != offer.global().end() && !std::holds_alternative<bool*>(option->target)) ++i;
  }
  return arguments.size();
}

// What people type for what has another name.
struct Guess {
  std::string_view typed;
  std::vector<std::string> meant;
};
const std::vector<Guess>& guesses() {
  static const std::vector<Guess> kGuesses{
      {"today", {"timeline", "--all-projects"}},
      {"yesterday", {"timeline", "--all-projects", "--since", "yesterday", "--until", "yesterday"}},
      {"week", {"timeline", "--all-projects", "--since", "7d"}},
      {"decisions", {"observations", "--kind", "decision"}},
      {"blame", {"file-history"}},
      {"who", {"file-history"}},
      {"files", {"file-history"}},
      {"diff", {"file-history"}},
      {"branches", {"usage", "--by", "branch"}},
      {"delete", {"forget"}},
      {"rm", {"forget"}},
      {"remove", {"forget"}},
      {"list", {"sessions"}},
      {"ls", {"sessions"}},
      {"history", {"sessions"}},
      {"last", {"show", "latest"}},
      {"find", {"search"}},
      {"grep", {"search"}},
      {"cost", {"usage"}},
      {"stats", {"usage"}},
      {"read", {"show"}},
      {"continue", {"open"}},
      {"copy", {"handoff"}},
      {"context", {"handoff"}},
      {"agents", {"status"}},
      {"health", {"doctor"}},
      {"errors", {"fix"}},
      {"follow", {"browse"}},
      {"watch", {"browse"}},
      {"tail", {"browse"}},
      {"recap", {"memory", "recap"}},
      {"commits", {"cmd", "git", "commit"}},
      {"memories", {"memory", "list"}},
      {"remember", {"memory", "write", "--type", "learning", "--title"}},
      {"projects", {"project", "list"}},
      {"version", {"--version"}}};
  return kGuesses;
}

// Returns the arguments for the summary that `memd project`, or with a name or path, asks for; those of its steps as
// they are.
std::vector<std::string> summary_of_project(std::vector<std::string> arguments, std::size_t place) {
  const auto at = arguments.begin() + static_cast<std::ptrdiff_t>(place);
  const std::string next = place + 1 < arguments.size() ? arguments[place + 1] : "";
  if (next.starts_with('-') || next == "list" || next == "merge" || next == "split") return arguments;
  *at = "summary";
  arguments.insert(at + 1, {"--level", "4"});
  if (!next.empty()) arguments.insert(arguments.begin() + static_cast<std::ptrdiff_t>(place) + 3, "--project");
  return arguments;
}

// Makes `diff`, alone or with what is no path, ask for what a session or a turn did, instead of a file's history.
void changes_of_session(std::vector<std::string>& arguments, std::size_t place) {
  const std::string which = place + 1 < arguments.size() ? arguments[place + 1] : "";
  if (which.find_first_of("/.*") != std::string::npos) return;
  const auto at = arguments.begin() + static_cast<std::ptrdiff_t>(place);
  *at = "show";
  arguments.insert(at + 1, "--tools");
  if (which.empty() || which.starts_with('-')) arguments.emplace_back("latest");
}

// Makes `files` without a path ask for all.
void all_files(std::vector<std::string>& arguments, std::size_t place) {
  const auto next = arguments.begin() + static_cast<std::ptrdiff_t>(place) + 1;
  if (next == arguments.end() || next->starts_with('-')) arguments.insert(next, "*");
}

// Makes words of time behind a command that lists by time say since when, "usage this week", a word of state which
// sessions, "sessions running", and "usage by agent" what a row is.
void narrow_by_words(std::vector<std::string>& arguments, std::size_t place) {
  using Word = std::pair<std::string_view, std::string_view>;
  constexpr std::array kTimes{Word{"today", "today"}, Word{"yesterday", "yesterday"}, Word{"week", "7d"},
                              Word{"month", "30d"}};
  constexpr std::array<std::string_view, 6> kLists{"usage", "cost", "sessions", "list", "timeline", "files"};
  constexpr std::array<std::string_view, 5> kStates{"running", "done", "failed", "abandoned", "ended"};
  if (place + 1 >= arguments.size() || std::ranges::find(kLists, arguments[place]) == kLists.end()) return;
  const auto next = arguments.begin() + static_cast<std::ptrdiff_t>(place) + 1;
  if ((*next == "this" || *next == "last") && next + 1 != arguments.end()) {  // these begin a time as it is written
    *next += ' ' + *(next + 1);
    arguments.erase(next + 1);
    arguments.insert(next, "--since");
  } else if (const auto time = std::ranges::find(kTimes, *next, &Word::first); time != kTimes.end()) {
    *next = time->second;
    arguments.insert(next, "--since");
  } else if (*next == "by" && (arguments[place] == "usage" || arguments[place] == "cost")) {
    *next = "--by";
  } else if (std::ranges::find(kStates, *next) != kStates.end() &&
             (arguments[place] == "sessions" || arguments[place] == "list")) {
    arguments.insert(next, "--state");
  }
}

// Returns the arguments for the parser: "help search" becomes "search --help", a guess what it means.
std::vector<std::string> arguments_of(const Offer& offer, int argc, char** argv) {
  std::vector<std::string> out(argv + 1, argv + argc);
  const std::size_t place = place_of_command(offer, out);
  if (place < out.size() && out[place] == "help") {
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(place));
    out.emplace_back("--help");
  }
  if (place < out.size() && out[place] == "project") return summary_of_project(std::move(out), place);
  if (place + 1 == out.size() && out[place] == "memory") out.emplace_back("list");
  // Hits of a search begin with memories.
  if (place + 1 < out.size() && out[place] == "memory" && (out[place + 1] == "search" || out[place + 1] == "find"))
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(place));
  if (place + 1 < out.size() && out[place] == "history" && !out[place + 1].starts_with('-'))
    out[place] = "file-history";
  if (place < out.size() && out[place] == "diff") changes_of_session(out, place);
  narrow_by_words(out, place);
  if (place < out.size() && out[place] == "files") all_files(out, place);
  if (place >= out.size() || offer.find(out[place]) != nullptr) return out;
  if (const auto guess = std::ranges::find(guesses(), out[place], &Guess::typed); guess != guesses().end()) {
    const auto at = out.erase(out.begin() + static_cast<std::ptrdiff_t>(place));
    out.insert(at, guess->meant.begin(), guess->meant.end());
  }
  return out;
}

int report(const Error& error) {
  std::cerr << "memd: " << harmless(for_people(error.message())) << '\n';
  return error.is(Errc::bad_config) || error.is(Errc::invalid_argument) ? kUsage : kFailed;
}

// Returns the command that the arguments name; null: none.
const Command* named_command(const Offer& offer, const std::vector<std::string>& arguments) {
  const std::size_t place = place_of_command(offer, arguments);
  return place < arguments.size() ? offer.find(arguments[place]) : nullptr;
}

// Returns whether the command supports --json.
bool has_document(const Command& command) {
  return command.json_schema || command.own_json || command.fails_open ||
         std::ranges::any_of(command.subcommands, [](const Command& sub) { return has_document(sub); });
}

// The command that was typed, "memd memory write", with those above it.
struct Typed {
  const CLI::App* command;
  std::string name;
};
Typed typed_command(const CLI::App& app) {
  Typed out{&app, "memd"};
  for (auto below = app.get_subcommands(); !below.empty(); below = out.command->get_subcommands()) {
    out.command = below.front();
    out.name += " " + out.command->get_name();
  }
  return out;
}

// Returns the message for words that no command and no option takes.
std::string unexpected(const Offer& offer, const CLI::App& app) {
  const std::vector<std::string> words = app.remaining(true);
  const std::string first = words.empty() ? std::string() : words.front();
  const auto [in, where] = typed_command(app);
  if (in == &app && !first.starts_with('-')) return offer.unknown_command(first);
  if (!first.starts_with('-'))
    return where + " does not take `" + first + "`; " +
           (where == "memd sessions" ? "`memd search " + first + "` finds what was said in them"
                                     : where + " --help says what it takes");
  std::vector<std::string> names;
  for (const CLI::App* one : {in, &app})
    for (const auto* option : one->get_options())
      for (const auto& name : option->get_lnames())
        names.push_back("--" + name);
  const std::string near = nearest_name(first.substr(0, first.find('=')), names);
  return where + " has no option " + first +
         (near.empty() ? "; " + where + " --help lists them; words that begin with - go after --"
                       : ": did you mean " + near + "?");
}

// Returns the message for a subcommand that there is not or that is missing; empty: none is.
std::string wrong_subcommand(const CLI::App& app) {
  const std::vector<std::string> words = app.remaining(true);
  const auto [command, in] = typed_command(app);
  std::vector<std::string> names;
  for (const CLI::App* sub : command->get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); }))
    names.push_back(sub->get_name());
  if (names.empty() || command == &app) return {};
  if (words.empty() || words.front().starts_with('-'))
    return fmt::format("{} takes one of: {}", in, fmt::join(names, ", "));
  const std::string near = nearest_name(words.front(), names);
  return "there is no command `" + in + " " + words.front() + "`" +
         (near.empty() ? "; " + in + " --help lists them" : ": did you mean `" + in + " " + near + "`?");
}

// Names all that the typed command lacks, where CLI11 names the first. Empty: it lacks no option.
std::string missing_options(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : typed_command(app).command->get_options())
    if (option->get_required() && option->count() == 0) names.push_back(option->get_name());
  if (names.empty()) return {};
  return fmt::format("{} {} required", fmt::join(names, ", "), names.size() == 1 ? "is" : "are");
}

// Reports what CLI11 could not parse. Returns the exit code.
int refuse(const Offer& offer, const CLI::App& app, const CLI::ParseError& e) {
  const auto commands = app.get_subcommands();
  const bool is_hook = !commands.empty() && commands.front()->get_name() == "hook";
  const bool extras = dynamic_cast<const CLI::ExtrasError*>(&e) != nullptr;
  std::string why = extras ? unexpected(offer, app) : e.what();
  if (dynamic_cast<const CLI::RequiredError*>(&e) != nullptr) {
    const std::vector<std::string> words = app.remaining(true);
    if (const std::string wrong = wrong_subcommand(app); !wrong.empty())
      why = wrong;
    else if (!words.empty() && words.front().starts_with('-'))
      why = unexpected(offer, app);  // perhaps the required option, mistyped
    else if (const std::string missing = missing_options(app); !missing.empty())
      why = missing;
  }
  std::cerr << "memd: " << harmless(why) << '\n';
  if (!extras) std::cerr << typed_command(app).name << " --help says what it takes.\n";
  return is_hook ? kFailed : kUsage;  // agents take exit code 2 of a hook as a veto
}

int run_app(int argc, char** argv) {
  const Offer offer;
  CLI::App app{"Memory for coding agents: their history on this machine, searchable by any agent over MCP.", "memd"};
  app.set_version_flag("-v,-V,--version", "memd " + std::string(version()));
  app.fallthrough();             // global options may follow the command
  app.require_subcommand(0, 1);  // only one: `memd search status` searches for a word
  for (const Option& option : offer.global())
    add_option(app, option);
  const ServeOptions serving(app);
  std::vector<std::string> arguments = arguments_of(offer, argc, argv);
  const Command* chosen = nullptr;
  // The parser gets only the named command: to build all of them takes longer than many a search.
  const Command* named = named_command(offer, arguments);
  for (const Command& command : offer.commands())
    if (named == nullptr || named == &command) add_command(app, command, chosen);
  app.footer(examples_text() + "\n" + exit_codes_text());  // last: subcommands added after it would repeat it

  std::ranges::reverse(arguments);  // the order that CLI11 expects
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::Success& e) {  // help, version
    app.exit(e);
    return kOk;
  } catch (const CLI::ParseError& e) {
    return refuse(offer, app, e);
  }
  if (offer.settings().json && named != nullptr && !has_document(*named))
    return report(Error(Errc::invalid_argument, "memd " + named->name +
                                                    " prints no JSON document; `memd schema` lists "
                                                    "the commands that do"));
  auto settings = resolve_settings(offer.settings(), Environment::current());
  if (!settings) {
    if (chosen == nullptr || !chosen->fails_open) return report(settings.error());
    if (!chosen->runs_without_settings) return kOk;
  }
  if (settings) use_time_zone(settings->config.time_zone);
  if (settings && chosen != nullptr)
    settings->command = "memd " + (chosen == named ? "" : named->name + " ") + chosen->name;
  if (serving.given()) {
    const auto code = serving.serve(*settings);
    return code ? *code : report(code.error());
  }
  const Settings none{StoreLayout(std::filesystem::path()), true, {}, {}, {}, {}};
  const Invocation call{settings ? *settings : none, offer.settings().json, look_of_stdout(offer.look())};
  const auto code = chosen != nullptr ? chosen->run(call) : show_today(call);
  return code ? *code : report(code.error());
}

}  // namespace

int run(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a write beyond the limit of the shell fails with EFBIG, and is told
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
