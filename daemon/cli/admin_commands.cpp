// Commands about memd itself.
#include "daemon/admin/enrichment_report.hpp"
#include "daemon/cli/argument_writer.hpp"
#include "daemon/cli/command_context.hpp"
#include "daemon/cli/command_line.hpp"
#include "daemon/cli/progress_bar.hpp"

#include <CLI/CLI.hpp>

#include <memory>
#include <optional>
#include <string>

namespace memd::cli {
namespace {

void add_ingest(CLI::App& app, CommandContext& context) {
  auto* c = app.add_subcommand("ingest", "Read the agents' history into the store");
  auto once = std::make_shared<bool>(false);
  c->add_flag("--once", *once, "Until everything there is now is read (the daemon does the rest by itself)")
      ->required();
  c->callback([&context] {
    context.action = [&context](const Settings& settings) -> Result<int> {
      MEMD_TRY_ASSIGN(const auto caller, open_caller(settings, Need::ingest));
      mcp::ToolOutcome outcome;
      {
        ProgressBar reading("reading", {"MB", 1e6});
        ProgressBar enriching("enriching", {"exchanges", 1});
        const auto show = [&](double done, double total, std::string_view what) {
          if (what == admin::kEnriching)
            enriching.show(done, total, "");
          else
            reading.show(done, total, what);
        };
        MEMD_TRY_ASSIGN(outcome, caller->admin("ingest", "{}", show));
      }
      return print(outcome, context.global.json);
    };
  });
}

void add_status(CLI::App& app, CommandContext& context) {
  auto* c = app.add_subcommand("status", "What memd is doing and what it holds");
  c->callback([&context] {
    context.action = [&context](const Settings& settings) -> Result<int> {
      MEMD_TRY_ASSIGN(const auto caller, open_caller(settings, Need::read));
      MEMD_TRY_ASSIGN(const auto outcome, caller->admin("status", "{}", {}));
      return print(outcome, context.global.json);
    };
  });
}

void add_coverage(CLI::App& app, CommandContext& context) {
  auto* c = app.add_subcommand("coverage", "What became of every byte of every source");
  auto by_source = std::make_shared<bool>(false);
  auto platform = std::make_shared<std::string>();
  c->add_flag("--by-source", *by_source, "One line per source as well");
  c->add_option("--platform", *platform, "Only this agent");
  c->callback([&context, by_source, platform] {
    context.action = [&context, by_source, platform](const Settings& settings) -> Result<int> {
      ArgumentWriter w;
      w.add_flag("by_source", *by_source).add("platform", *platform);
      MEMD_TRY_ASSIGN(const auto caller, open_caller(settings, Need::read));
      MEMD_TRY_ASSIGN(const auto outcome, caller->admin("coverage", w.finish(), {}));
      return print(outcome, context.global.json);
    };
  });
}

void add_log(CLI::App& app, CommandContext& context) {
  auto* c = app.add_subcommand("log", "What happened to the sources, newest first");
  auto platform = std::make_shared<std::string>();
  auto since = std::make_shared<std::string>();
  auto limit = std::make_shared<std::optional<std::int64_t>>();
  c->add_option("--platform", *platform, "Only this agent");
  c->add_option("--since", *since, "From this time: 2026-02-09, 7d, yesterday, …");
  c->add_option("--limit", *limit, "How many entries (50)");
  c->callback([&context, platform, since, limit] {
    context.action = [&context, platform, since, limit](const Settings& settings) -> Result<int> {
      ArgumentWriter w;
      w.add("platform", *platform).add("since", *since).add("limit", *limit);
      MEMD_TRY_ASSIGN(const auto caller, open_caller(settings, Need::read));
      MEMD_TRY_ASSIGN(const auto outcome, caller->admin("log", w.finish(), {}));
      return print(outcome, context.global.json);
    };
  });
}

void add_retention(CLI::App& app, CommandContext& context) {
  auto* c = app.add_subcommand("retention", "What the configured limits drop, when and why; drops nothing by itself");
  auto apply = std::make_shared<bool>(false);
  auto days = std::make_shared<std::int64_t>(30);
  c->add_flag("--apply", *apply, "Drop what is past its limit now");
  c->add_option("--days", *days, "How far to look ahead")->check(CLI::Range(0, 36500));
  c->callback([&context, apply, days] {
    context.action = [&context, apply, days](const Settings& settings) -> Result<int> {
      ArgumentWriter w;
      w.add_flag("apply", *apply).add("within_days", *days);
      MEMD_TRY_ASSIGN(const auto caller, open_caller(settings, *apply ? Need::ingest : Need::read));
      MEMD_TRY_ASSIGN(const auto outcome, caller->admin("retention", w.finish(), {}));
      return print(outcome, context.global.json);
    };
  });
}

void add_doctor(CLI::App& app, CommandContext& context) {
  auto* c = app.add_subcommand("doctor", "Look for what keeps memd from working; exit code 1 when there is something");
  c->callback([&context] {
    context.action = [&context](const Settings& settings) -> Result<int> {
      MEMD_TRY_ASSIGN(const auto caller, open_caller(settings, Need::read));
      MEMD_TRY_ASSIGN(const auto outcome, caller->admin("doctor", "{}", {}));
      const int printed = print(outcome, context.global.json);
      return outcome.structured.starts_with(R"({"ok":true)") ? printed : kFailed;
    };
  });
}

}  // namespace

void add_admin_commands(CLI::App& app, CommandContext& context) {
  add_ingest(app, context);
  add_status(app, context);
  add_coverage(app, context);
  add_log(app, context);
  add_doctor(app, context);
  add_retention(app, context);
}

}  // namespace memd::cli
