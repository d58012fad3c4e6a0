#pragma once

#include "daemon/cli/render/look.hpp"
#include "schemas/base/result.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace memd {
struct Settings;
namespace admin {
struct DoctorReport;
}
namespace tools {
struct AgentWays;
}
}  // namespace memd

namespace memd::cli {

// The commands and options of the command line as plain data. Only command_line.cpp uses the parsing library.

// Exit codes: part of the command line's contract.
inline constexpr int kOk = 0;
inline constexpr int kFailed = 1;  // the command failed; the message says why
inline constexpr int kUsage = 2;   // the command line or the configuration is invalid
inline constexpr int kUndone = 3;  // ingest finished, but some of the input could not be read or stored

// The variable that the parser sets; unchanged when the option is absent. The command's `run` owns it.
using OptionTarget = std::variant<bool*, std::string*, std::optional<std::string>*, std::int64_t*,
                                  std::optional<std::int64_t>*, std::optional<double>*, std::vector<std::string>*>;

struct Option {
  std::string names;    // "--since", "-o,--output"; without dashes: a positional argument
  OptionTarget target;  // bool: a flag, which takes no value
  std::string help;
  std::string value_name{};  // name of the value in help; empty: its type
  bool required = false;
  std::vector<std::string> one_of{};             // allowed values; empty: any
  std::optional<std::pair<int, int>> between{};  // range, both ends included
  bool existing_file = false;
  std::string bare_value{};  // the value when the option is given without one; empty: it needs one
};

// Returns `-n`, the number of rows of a list; 0 is all.
inline Option rows_option(OptionTarget target, std::string help) {
  constexpr std::pair<int, int> kRowsAsked{0, 100'000'000};
  return {.names = "-n", .target = target, .help = std::move(help), .value_name = "N", .between = kRowsAsked};
}
template <class Row>
void keep_rows(std::vector<Row>& rows, std::int64_t asked) {
  if (asked > 0 && static_cast<std::size_t>(asked) < rows.size()) rows.erase(rows.begin() + asked, rows.end());
}

// The context in which a command runs.
struct Invocation {
  const Settings& settings;
  bool as_json = false;
  Look look{};  // of output for a user

  // Returns the look of output for programs: no colour, no pager.
  Look plain_look() const {
    Look plain;
    plain.now = look.now;
    return plain;
  }
};

struct Command {
  std::string name;
  std::string help;
  std::vector<Option> options{};
  std::function<Result<int>(const Invocation&)> run{};  // returns the exit code; empty: one of `subcommands` is
                                                        // required
  std::vector<Command> subcommands{};
  std::function<void()> begin{};       // called when the command has been identified, before the settings are read; may
                                       // be empty
  bool fails_open = false;             // invalid settings are neither an error nor reported
  bool runs_without_settings = false;  // with fails_open: runs even with invalid settings
  bool hidden = false;                 // not meant to be typed by users: help omits it
  std::function<std::string()> json_schema{};  // schema of the --json output of the command and its subcommands
  bool own_json = false;  // the command writes its JSON itself: its schema, if it has one, is a file of schemas/json.
                          // Neither schema nor own_json: --json is refused
};

inline void take_options(Command& command, const std::vector<Option>& options) {
  command.options.insert(command.options.end(), options.begin(), options.end());
}
// Adds the options that select a part of the history. `filter`: a TypedFilter or ScopeParams.
template <class Filter>
void take_filters(Command& command, Filter& filter, OptionTarget since) {
  take_options(command, {{"--agent,--platform", &filter.platform, "Only this agent: claude_code, cursor, …"},
                         {"--project", &filter.project, "Only this project: its name, or a part of its path"},
                         {"--since", since, "From this time: 2026-02-09, 7d, yesterday, …"},
                         {"--until", &filter.until, "Up to this time; a day or month is included"}});
}

// All lists are in the order of `memd --help`.
std::vector<Command> history_commands();
std::vector<Command> tool_commands();   // about the tools offered to agents
std::vector<Command> admin_commands();  // about memd itself
std::vector<Command> interchange_commands();
Command browse_command();
Command key_command();
Command platform_command();
Command hook_command();
Command report_command();
Command usage_command();
Command web_command();
Command statusline_command();
Command share_command();
Command memory_command();
Command setup_command();
std::vector<Command> service_commands();  // stop, restart, logs, uninstall
std::vector<Command> session_commands();  // open, handoff

// Adds to the agents of `memd doctor` those whose programs are here, and what memd has registered with each.
void add_clients(const Settings& settings, admin::DoctorReport& report);

// Returns what memd does with the programs of agents, for docs/capabilities.md.
std::vector<tools::AgentWays> agent_ways();

// Returns the names of the clients here if none of them has memd registered; nothing if that cannot be determined.
std::vector<std::string> clients_without_memd(const Settings& settings);

// Runs `memd` without a command: prints running sessions, recent ones, and pending work.
Result<int> show_today(const Invocation& call);

// Parses the arguments, runs the command and prints. Returns the exit code. Never throws.
int run(int argc, char** argv);

}  // namespace memd::cli
