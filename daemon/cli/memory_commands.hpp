#pragma once

#include "daemon/cli/asking.hpp"
#include "daemon/cli/command.hpp"
#include "daemon/cli/memory_reports.hpp"
#include "daemon/cli/render/line.hpp"
#include "daemon/memories/notebook.hpp"
#include "daemon/memories/promotion.hpp"
#include "schemas/base/result.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Code shared by the commands of `memd memory`. One thread.
namespace memd::cli {

struct MemoryOptions {
  std::string slug;
  std::string other;
  std::optional<std::string> label;
  std::optional<std::string> type;
  std::optional<std::string> title;
  std::optional<std::string> tags;
  std::optional<std::string> scope;
  std::optional<std::string> dialect;
  std::optional<std::string> from;
  std::string file;
  // Options of the commands that make memories from history.
  bool dry_run = false;
  bool force = false;
  bool mark = false;
  bool ok = false;
  bool links = false;
  bool write = false;
  bool apply = false;
  bool html = false;
  std::string output;
  std::optional<std::int64_t> days;
  std::optional<std::int64_t> count;
  std::optional<std::string> accept;
};
using Options = std::shared_ptr<MemoryOptions>;
using MemoryRun = std::function<Result<int>(const MemoryOptions&, const Invocation&)>;

// Returns the notebook that a command uses: of --project, else of the repository of the working directory.
memories::Notebook notebook_of(const Settings& settings);
// `project`: a repository; empty: only memories of no project.
memories::Notebook notebook_of(const Settings& settings, std::filesystem::path project);
// Returns the function that names events as their log does, for provenance.
memories::NameEvents names_of_log(const Settings& settings);
// Returns the memory that the options name. Errc::invalid_argument names the option.
Result<memories::MemoryName> memory_named(const MemoryOptions& o, const std::string& slug);
Result<memories::Destination> destination(const MemoryOptions& o);
MemoryWrittenReport written_report(const Memory& m, bool created, bool masked);
// Prints "created", "changed", "deleted", …; JSON for a program.
Result<int> print_written(const Invocation& call, const Memory& m, std::string_view done, bool masked);
// Compares memories of the notebook's project with git: the one of this name, without a name all.
// Errc::invalid_argument: there is no project.
Result<VerifyReport> verify_report(const memories::Notebook& notebook, const std::optional<memories::MemoryName>& name);
// Returns "a relates-to b".
Line link_line(const std::string& source, const std::string& label, const std::string& target, bool changed);
// `Report`: the type of its --json output.
Command memory_subcommand(std::string name, std::string help, const Options& o, std::vector<Option> options,
                          MemoryRun run, std::function<std::string()> json_schema);
template <mcp::Described Report>
Command memory_subcommand(const std::string& name, std::string help, const Options& o, std::vector<Option> options,
                          MemoryRun run) {
  return memory_subcommand(name, std::move(help), o, std::move(options), std::move(run),
                           schema_of<Report>("memory " + name));
}

// Returns promote, suggest, recap, verify.
std::vector<Command> memory_history_commands(const Options& o);
Command memory_garden_command(const Options& o);

}  // namespace memd::cli
