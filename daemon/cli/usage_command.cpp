// memd usage: what models were used for, and what it cost.
#include "daemon/cli/asking.hpp"
#include "daemon/cli/command.hpp"
#include "daemon/cli/history_filter.hpp"
#include "daemon/cli/render/usage.hpp"
#include "daemon/cli/store_state.hpp"
#include "daemon/cli/usage_explanation.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/usage/usage_report.hpp"
#include "schemas/base/error.hpp"
#include "store/read/projects.hpp"
#include "store/reader.hpp"

#include <chrono>
#include <memory>
#include <thread>

namespace memd::cli {
namespace {

constexpr const char* kShowPrices = "-";  // --prices without a file

struct UsageOptions : TypedFilter {
  std::string by = "day";
  std::optional<std::string> prices;
  std::optional<std::int64_t> count;
  std::string explain;
  bool watch = false;
};

// Leaves `count` rows, the newest of times and the largest of others. 0: all. Returns how many were left out.
std::size_t keep_some(usage::UsageReport& report, UsageBy by, std::int64_t count) {
  const auto most = static_cast<std::size_t>(count);
  if (count <= 0 || report.rows.size() <= most) return 0;
  const std::size_t left_out = report.rows.size() - most;
  const auto cut = static_cast<std::ptrdiff_t>(usage::is_over_time(by) ? left_out : most);
  if (usage::is_over_time(by))
    report.rows.erase(report.rows.begin(), report.rows.begin() + cut);
  else
    report.rows.erase(report.rows.begin() + cut, report.rows.end());
  return left_out;
}

Result<usage::UsageReport> ask(Reader& reader, const UsageOptions& o, const Config& config,
                               const usage::PriceTable& prices) {
  MEMD_TRY_ASSIGN(auto filter, history_filter(o, "--agent", config));
  MEMD_TRY_ASSIGN(filter.project, reader.ask(ProjectFilterQuery{o.project}));
  filter.session = o.explain;
  return usage::usage_report(reader, {filter, *parse_usage_by(o.by)}, prices);
}

// Draws the table whenever the store has changed, and once a minute. Ends by a signal.
Result<int> watch(const Invocation& call, const UsageOptions& o, Reader& reader, const usage::PriceTable& prices) {
  if (!call.look.is_terminal || call.as_json)
    return Error(Errc::invalid_argument, "--watch draws on a terminal; leave it out to print once");
  const UsageBy by = *parse_usage_by(o.by);
  Look look = call.look;
  look.pager.clear();
  while (true) {
    const auto drawn = store_state(call.settings.layout.database());
    MEMD_TRY_ASSIGN(auto report, ask(reader, o, call.settings.config, prices));
    look.now = command_clock().now();
    const std::size_t left_out =
        keep_some(report, by, o.count.value_or(look.rows > 10 ? static_cast<std::int64_t>(look.rows) - 8 : 2));
    Screen screen(look);
    screen.as_it_is("\x1b[H\x1b[2J");
    show(screen, report, left_out);
    MEMD_TRY(screen.finish());
    for (int second = 0; second < 60 && store_state(call.settings.layout.database()) == drawn; ++second)
      std::this_thread::sleep_for(std::chrono::seconds(1));  // as often as a daemon commits when it is busy
  }
}

Result<int> run_usage(const UsageOptions& o, const Invocation& call) {
  const bool shows_prices = o.prices == kShowPrices;
  MEMD_TRY_ASSIGN(const usage::PriceTable prices,
                  prices_in_force(call.settings.config, shows_prices ? "" : o.prices.value_or("")));
  if (shows_prices && !call.as_json) {
    Screen screen(call.look);
    show(screen, prices);
    return finish(screen);
  }
  Reader reader(call.settings.layout.database());
  if (o.watch) return watch(call, o, reader, prices);
  MEMD_TRY_ASSIGN(auto report, ask(reader, o, call.settings.config, prices));
  if (!o.explain.empty()) {
    MEMD_TRY_ASSIGN(report.records, explain_usage(reader, call.settings, o.explain));
  }
  constexpr std::int64_t kOnTerminal = 31;
  const UsageBy by = *parse_usage_by(o.by);
  const std::int64_t usual = call.as_json || !call.look.is_terminal ? 0 : kOnTerminal;
  const std::size_t left_out = keep_some(report, by, o.count.value_or(usual));
  if (call.as_json) return print_json(call, report);
  Screen screen(call.look);
  show(screen, report, left_out);
  return finish(screen);
}

}  // namespace

Command usage_command() {
  const auto o = std::make_shared<UsageOptions>();
  Command c{"usage", "Tokens and cost by day, model, project, session, …"};
  c.json_schema = schema_of<usage::UsageReport>(c.name);
  c.options = {
      {.names = "--by",
       .target = &o->by,
       .help =
           "What a row is: day (default), week, month, block (five hours), model, day,model, agent, project, branch "
           "or session, with its subagents",
       .one_of = {"day", "week", "month", "block", "model", "day,model", "agent", "project", "branch", "session"}}};
  take_filters(c, *o, &o->since);
  take_options(
      c, {rows_option(&o->count, "How many rows: the newest, or the largest (on a terminal 31); 0: all"),
          {.names = "--prices",
           .target = &o->prices,
           .help = "Own prices before the built-in ones, YAML; without a file: show the prices and their date",
           .value_name = "[FILE]",
           .bare_value = kShowPrices},
          {"--explain", &o->explain,
           "Of this session and its subagents: which records were counted, and which were not and why", "SESSION"},
          {"--watch", &o->watch, "Draw again whenever something is stored"}});
  c.run = [o](const Invocation& call) { return run_usage(*o, call); };
  return c;
}

}  // namespace memd::cli
