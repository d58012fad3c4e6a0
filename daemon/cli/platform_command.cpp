// Commands about descriptions of agents.
#include "adapters/registry.hpp"
#include "daemon/admin/platform_trial.hpp"
#include "daemon/cli/asking.hpp"
#include "daemon/cli/command.hpp"
#include "daemon/cli/render/table.hpp"
#include "daemon/cli/render/views.hpp"
#include "daemon/cli/render/words.hpp"
#include "daemon/host/settings.hpp"
#include "schemas/base/error.hpp"
#include "store/files/whole_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

namespace memd::cli {
namespace {

void show(Screen& screen, const admin::TrialFile& file) {
  screen.blank();
  screen.text(Line(file.path, Style::name));
  screen.text(Line(fmt::format("{}: {} sessions, {} prompts, {} answers, {} calls, {} results, {} tokens",
                               short_bytes(file.bytes), file.sessions, file.prompts, file.answers, file.calls,
                               file.results, grouped_digits(file.tokens))));
  if (!file.trouble.empty()) screen.text(Line(file.trouble, Style::bad));
  Table table({{"RECORD", Column::Fit::shrinks},
               {"FATE"},
               {"RECORDS", Column::Fit::whole, true},
               {"BYTES", Column::Fit::whole, true},
               {"REASON", Column::Fit::shrinks}});
  for (const admin::LedgerLine& line : file.ledger)
    table.row({Line(line.record_type), fate(line), Line(grouped_digits(static_cast<std::int64_t>(line.records))),
               Line(grouped_digits(static_cast<std::int64_t>(line.bytes))), Line(line.reason, Style::faint)});
  table.print(screen);
  for (const admin::TrialEvent& e : file.first)
    screen.text(Line(fmt::format("{}  {}{}: {}", e.time, e.kind, e.tool.empty() ? "" : " " + e.tool, e.text)), 2, 2);
}

}  // namespace

void show(Screen& screen, const admin::PlatformTrial& trial) {
  screen.text(Line(fmt::format("{} ({}): {} files", trial.name, trial.key, trial.files.size())));
  for (const auto& root : trial.roots)
    screen.text(Line("looked in " + root, Style::faint));
  for (const admin::TrialFile& file : trial.files)
    show(screen, file);
}

namespace {

Result<int> try_description(const Invocation& call, const std::string& file, const std::string& path) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 20;
  const auto text = files::read_named(file, kMostBytes);
  if (!text) return Error(Errc::bad_config, file + ": cannot be read: " + text.error().message());
  MEMD_TRY_ASSIGN(auto agent, described::parse_description(*text, file));
  if (!parse_platform(agent.key)) {
    auto own = call.settings.config.own_agents;
    own.push_back(std::make_shared<const described::Description>(agent));
    MEMD_TRY(use_own_agents(own));
  }
  std::string patterns;
  for (const auto& source : agent.sources)
    for (const auto& pattern : source.files)
      patterns.append(patterns.empty() ? "" : ", ").append(pattern);
  MEMD_TRY_ASSIGN(const auto trial,
                  admin::try_platform(std::move(agent), {call.settings.home, call.settings.agent_directory, path}));
  MEMD_TRY(print_report(call, trial));
  if (trial.files.empty())
    return Error(Errc::not_found, "nothing at " +
                                      (trial.roots.empty() ? std::string("any root") : trial.roots.front()) +
                                      " fits the description's \"files\" (" + patterns +
                                      "): name a folder, or a file with such a name, behind the description");
  const bool whole = std::ranges::all_of(
      trial.files, [](const admin::TrialFile& f) { return f.trouble.empty() && f.bytes_unknown == 0; });
  return whole ? kOk : kUndone;
}

}  // namespace

Command platform_command() {
  const auto file = std::make_shared<std::string>();
  const auto path = std::make_shared<std::string>();
  Command attempt{"try", "Show what memd would read of an agent that a file describes, and what it would leave"};
  attempt.options = {
      {.names = "file", .target = file.get(), .help = "The description", .required = true, .existing_file = true},
      {.names = "path",
       .target = path.get(),
       .help = "A folder or a file of the agent's, instead of the description's roots"}};
  attempt.run = [file, path](const Invocation& call) { return try_description(call, *file, *path); };
  Command c{"platform", "Agents that a file describes (docs/custom-platforms.md)"};
  c.json_schema = schema_of<admin::PlatformTrial>(c.name);
  c.subcommands = {std::move(attempt)};
  return c;
}

}  // namespace memd::cli
