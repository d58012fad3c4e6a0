#include "daemon/cli/manual.hpp"

#include "daemon/version.hpp"
#include "schemas/base/ascii.hpp"

#include <boost/algorithm/string/join.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace memd::cli {
namespace {

struct Example {
  std::string_view command;
  std::string_view what;
};

constexpr auto kExamples = std::to_array<Example>({
    {"memd", "what runs, what was last, and what waits"},
    {"memd ingest --once", "read all history found below $HOME"},
    {"memd search why did we drop redis", "find what was said about something"},
    {"memd search flaky test --since 7d -n 30", "of the last week, up to 30 hits"},
    {"memd browse", "look through history on a full screen"},
    {"memd web --open", "the same as a page in your browser"},
    {"memd show x42", "one turn, whole"},
    {"memd show latest", "the latest session, from start to end"},
    {"memd yesterday", "what happened then; today, timeline --since 7d"},
    {"memd files this week", "which files were touched, and in which turns"},
    {"memd cmd docker build", "commands that were run: where, when, how they ended"},
    {"memd fix docker build", "what was done before a failed command passed"},
    {"memd file-history src/main.cpp --lines 40-60", "who changed these lines, and why"},
    {"memd export latest --format html -o s.html", "a session to read in a browser"},
    {"memd export latest -o session.jsonl", "the same as a file of events"},
    {"memd import session.jsonl", "and back"},
    {"memd report --since 30d -o report.html", "a month on one page"},
    {"memd memory write --type decision --title 'Use WAL' notes.md", "a memory, as a file of yours"},
    {"memd --json sessions -n 0", "all sessions, for a program"},
    {"memd status", "what the daemon is doing"},
    {"memd doctor", "whether all is well, and what to do if not"},
    {"memd open latest", "the latest session again, in its own agent"},
    {"memd handoff latest --to codex --start", "and in another one"},
    {"memd setup", "find the agents here and register with them"},
});

struct ExitCode {
  int code;
  std::string_view what;
};

constexpr auto kExitCodes = std::to_array<ExitCode>({
    {kOk, "done"},
    {kFailed, "could not be done; the message says why (doctor: there is a problem)"},
    {kUsage, "wrong usage or configuration"},
    {kUndone, "ingest ended, and not all that is there could be read or stored"},
});

struct Variable {
  std::string_view name;
  std::string_view what;
};

constexpr auto kVariables = std::to_array<Variable>({
    {"NO_COLOR", "If set, output has no colour, unless --color always is given."},
    {"MEMD_PAGER, PAGER",
     "The program that shows long output on a terminal; less if neither is set, none if it is cat or empty."},
    {"LESS", "Options of less; FRX if it is not set."},
    {"COLUMNS", "How wide lines are where standard output is no terminal; not limited if it is not set."},
    {"XDG_DATA_HOME, XDG_CONFIG_HOME, XDG_RUNTIME_DIR", "Where the store, the configuration and the socket are."},
});

constexpr auto kFiles = std::to_array<Variable>({
    {"~/.local/share/memd", "The store, readable by its owner alone."},
    {"~/.config/memd/config.yaml", "The configuration."},
});

// Escapes text for man(7): literal backslashes and hyphens, and no line that begins like a request.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool line_begins = out.empty() || out.back() == '\n';
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

std::string upper(std::string_view text) {
  std::string out;
  for (const char c : text)
    out += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

bool is_positional(const Option& option) { return !option.names.starts_with('-'); }

bool takes_value(const Option& option) { return !std::holds_alternative<bool*>(option.target); }

bool takes_several(const Option& option) { return std::holds_alternative<std::vector<std::string>*>(option.target); }

std::string value_of(const Option& option) {
  if (!option.value_name.empty()) return option.value_name;
  if (is_positional(option)) return upper(option.names);
  if (std::holds_alternative<std::int64_t*>(option.target) ||
      std::holds_alternative<std::optional<std::int64_t>*>(option.target))
    return "N";
  const auto dashes = option.names.rfind("--");
  return dashes == std::string::npos ? "VALUE" : upper(std::string_view(option.names).substr(dashes + 2));
}

// Returns "-o, --output FILE" with the names in bold.
std::string names_in_bold(const Option& option) {
  std::string out;
  for (const std::string& one : ascii::split(option.names, ','))
    out += (out.empty() ? "\\fB" : ", \\fB") + escaped(one) + "\\fR";
  if (takes_value(option)) out += " \\fI" + escaped(value_of(option)) + "\\fR";
  return out;
}

std::string synopsis(std::string_view name, const Command& command) {
  std::string out = ".B " + escaped(name) + "\n";
  for (const Option& option : command.options) {
    if (!is_positional(option)) continue;
    const std::string value = "\\fI" + escaped(value_of(option)) + "\\fR" + (takes_several(option) ? " ..." : "");
    out += (option.required ? value : "[" + value + "]") + "\n";
  }
  const bool has_options = std::ranges::any_of(command.options, [](const Option& o) { return !is_positional(o); });
  if (has_options) out += "[\\fIOPTION\\fR ...]\n";
  return out;
}

void add_options(std::string& out, const std::vector<Option>& options) {
  for (const Option& option : options) {
    out +=
        ".TP\n" + (is_positional(option) ? "\\fI" + escaped(value_of(option)) + "\\fR" : names_in_bold(option)) + "\n";
    out += escaped(option.help) + (option.required ? " (required)" : "") + "\n";
    if (option.one_of.empty()) continue;
    out += ".br\nOne of: " + escaped(boost::algorithm::join(option.one_of, ", ")) + ".\n";
  }
}

std::string title(std::string_view name) {
  return ".TH " + upper(name) + " 1 \"\" \"memd " + std::string(version()) + "\" \"User Commands\"\n";
}

template <class Items>
void add_pairs(std::string& out, const Items& items) {
  for (const auto& item : items)
    out += ".TP\n.B " + escaped(item.name) + "\n" + escaped(item.what) + "\n";
}

void add_subcommands(std::string& out, const std::string& name, const Command& command) {
  for (const Command& sub : command.subcommands) {
    if (sub.hidden) continue;
    out +=
        ".SS " + escaped(sub.name) + "\n" + synopsis(name + " " + sub.name, sub) + ".PP\n" + escaped(sub.help) + ".\n";
    add_options(out, sub.options);
    add_subcommands(out, name + " " + sub.name, sub);
  }
}

}  // namespace

std::string examples_text() {
  std::string out = "Examples:\n";
  for (const Example& one : kExamples) {
    constexpr std::size_t kColumn = 48;
    const std::size_t blanks = one.command.size() + 2 < kColumn ? kColumn - one.command.size() : 2;
    out.append("  ").append(one.command).append(blanks, ' ').append(one.what).append("\n");
  }
  return out;
}

std::string exit_codes_text() {
  std::string out = "Exit codes:";
  for (const ExitCode& one : kExitCodes)
    out.append("\n  ").append(std::to_string(one.code)).append("  ").append(one.what);
  return out;
}

std::string manual_page(const std::vector<Command>& commands, const std::vector<Option>& global) {
  std::string out = title("memd");
  out += ".SH NAME\nmemd \\- memory for coding agents: their history on this machine\n";
  out +=
      ".SH SYNOPSIS\n.B memd\n[\\fIOPTION\\fR ...] [\\fICOMMAND\\fR [\\fIARGUMENT\\fR ...]]\n.br\n.B memd "
      "\\-\\-stdio\n.br\n.B memd \\-\\-socket\n[\\fIPATH\\fR]\n";
  out +=
      ".SH DESCRIPTION\nmemd reads what coding agents leave on disk, keeps it in one local store, and gives it back to "
      "any agent over MCP, "
      "and to you on the command line. Without a command it shows what runs now, what was last, and what waits.\n.PP\n"
      "Commands ask the daemon. Where none runs they read the store themselves.\n";
  out += ".SH COMMANDS\n";
  for (const Command& command : commands)
    if (!command.hidden)
      out += ".TP\n\\fBmemd " + escaped(command.name) + "\\fR\n" + escaped(command.help) + ". See \\fBmemd\\-" +
             escaped(command.name) + "\\fR(1).\n";
  out += ".SH OPTIONS\nThese may come before or after a command.\n";
  add_options(out, global);
  out += ".SH EXIT STATUS\n";
  for (const ExitCode& one : kExitCodes)
    out += ".TP\n.B " + std::to_string(one.code) + "\n" + escaped(one.what) + "\n";
  out += ".SH ENVIRONMENT\n";
  add_pairs(out, kVariables);
  out += ".SH FILES\n";
  add_pairs(out, kFiles);
  out += ".SH EXAMPLES\n.nf\n";
  for (const Example& one : kExamples)
    out += ".B " + escaped(one.command) + "\n    " + escaped(one.what) + "\n";
  return out + ".fi\n";
}

std::string manual_page(const Command& command) {
  const std::string name = "memd " + command.name;
  std::string out = title("memd-" + command.name);
  out += ".SH NAME\nmemd\\-" + escaped(command.name) + " \\- " + escaped(command.help) + "\n.SH SYNOPSIS\n" +
         synopsis(name, command);
  out += ".SH DESCRIPTION\n" + escaped(command.help) + ".\n";
  if (command.json_schema)
    out += ".PP\nWith \\fB\\-\\-json\\fR the answer is one JSON document; \\fBmemd schema " + escaped(command.name) +
           "\\fR prints its schema.\n";
  if (!command.options.empty()) {
    out += ".SH OPTIONS\n";
    add_options(out, command.options);
  }
  if (!command.subcommands.empty()) {
    out += ".SH COMMANDS\n";
    add_subcommands(out, name, command);
  }
  return out + ".SH SEE ALSO\n\\fBmemd\\fR(1) for the options of all commands and the exit status.\n";
}

}  // namespace memd::cli
