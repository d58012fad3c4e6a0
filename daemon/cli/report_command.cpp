// `memd report`: the history, or a part of it, as an HTML page.
#include "daemon/cli/command.hpp"
#include "daemon/cli/memory_commands.hpp"
#include "daemon/cli/progress_bar.hpp"
#include "daemon/cli/report_making.hpp"
#include "daemon/host/memory_host.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/interchange/output_file.hpp"
#include "daemon/report/report_page.hpp"
#include "daemon/version.hpp"
#include "schemas/base/embedded.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/time.hpp"
#include "store/read/projects.hpp"
#include "store/reader.hpp"
#include "store/report/report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

namespace memd::cli {
namespace {

struct ReportOptions : TypedFilter {
  std::string prices;
  std::string output;
};

std::string as_typed(const TypedFilter& o) {
  std::string out;
  const auto add = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) out += fmt::format("{}{} {}", out.empty() ? "" : " ", name, value);
  };
  add("--project", o.project);
  add("--agent", o.platform);
  add("--since", o.since.value_or(""));
  add("--until", o.until.value_or(""));
  return out;
}

Result<int> run_report(const ReportOptions& o, const Settings& settings, bool as_json) {
  if (o.output.empty() && !as_json && ::isatty(STDOUT_FILENO) == 1)
    return Error(Errc::invalid_argument, "a page is not for the terminal: name a file with -o report.html");
  auto opened = interchange::OutputFile::open(o.output);
  if (!opened) return opened.error();
  Result<MadeReport> made = MadeReport();
  {
    ProgressBar bar("reporting", {"sessions", 1});
    std::function<void(double, double)> progress;  // none beside a page that goes to a pager
    if (opened->is_named()) progress = [&bar](double done, double total) { bar.show(done, total, ""); };
    made = make_report(settings, o, o.prices, progress);
  }
  if (!made) return made.error();
  const std::string text = as_json ? std::move(made->data) : report::report_page(made->data);
  MEMD_TRY(opened->line(text));
  MEMD_TRY(opened->finish());
  const Report& report = made->report;
  const auto& span = report.span;
  fmt::print(stderr, "{} sessions, {} turns{}, {:.1f} MB{}.\n", report.sessions, report.exchanges,
             span.start > 0 ? fmt::format(", {} to {}", format_local_minute(span.start).substr(0, 10),
                                          format_local_minute(span.end).substr(0, 10))
                            : "",
             static_cast<double>(text.size()) / 1e6, o.output.empty() || o.output == "-" ? "" : " in " + o.output);
  return kOk;
}

std::string report_schema() {
  return std::string(
      std::ranges::find(embedded::json_schema_files(), "report.schema.json", &embedded::EmbeddedFile::name)->text);
}

}  // namespace

Result<MadeReport> make_report(const Settings& settings, const TypedFilter& filter, const std::filesystem::path& prices,
                               const std::function<void(double, double)>& progress) {
  const auto adapters = describe_adapters(settings.config);
  ReportQuery query;
  MEMD_TRY_ASSIGN(query.filter, history_filter(filter, "--agent", settings.config));
  Reader reader(settings.layout.database());
  MEMD_TRY_ASSIGN(query.filter.project, reader.ask(ProjectFilterQuery{filter.project}));
  MEMD_TRY_ASSIGN(const usage::PriceTable table, prices_in_force(settings.config, prices));
  query.pricer = usage::pricer(table);
  ReportQuery asked = query;
  asked.progress = progress;
  MEMD_TRY_ASSIGN(Report report, reader.ask(asked));
  report::ReportContext context{system_clock().now(), std::string(version()), as_typed(filter),
                                report::gaps_of(report, query, adapters), table.source() + " of " + table.date()};
  if (auto memories = notebook_of(settings).graph())
    context.memories = *std::move(memories);
  else
    context.gaps.push_back({report::Gap::Weight::warning, {}, "Memories are not shown: " + memories.error().message()});
  std::string data = report::report_data(report, context);
  return MadeReport{std::move(report), std::move(data)};
}

Command report_command() {
  const auto o = std::make_shared<ReportOptions>();
  Command c{"report", "A page about the history: sessions, topics, tokens, files, tools, coverage"};
  c.own_json = true;  // the data of the page
  c.json_schema = report_schema;
  c.options = {{"-o,--output", &o->output, "Where to; standard output if not given", "FILE"},
               {"--project", &o->project, "Only this project: its name, or a part of its path"},
               {"--agent,--platform", &o->platform, "Only this agent: claude_code, cursor, …"},
               {"--since", &o->since, "From this time: 2026-02-09, 7d, yesterday, …"},
               {"--until", &o->until, "Up to this time; a day or month is included"},
               {"--prices", &o->prices,
                "Own prices before the built-in ones, YAML: {claude-opus: {input: …, output: …, cache_read: …, "
                "cache_creation: …}}, dollars for a million tokens",
                "FILE"}};
  c.run = [o](const Invocation& call) { return run_report(*o, call.settings, call.as_json); };
  return c;
}

}  // namespace memd::cli
