// `memd memory garden`: keeps memories tidy, by rules.
#include "daemon/cli/memory_commands.hpp"
#include "daemon/cli/render/screen.hpp"
#include "daemon/cli/render/words.hpp"
#include "daemon/memories/gardener.hpp"
#include "schemas/harmless.hpp"
#include "schemas/json_writer.hpp"
#include "store/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

namespace memd::cli {
namespace {

void print_garden_json(const memories::GardenPlan& plan) {
  std::string out;
  json::Writer w(out);
  w.begin_object();
  w.key("steps");
  w.begin_array();
  for (const auto& step : plan.steps) {
    w.begin_object();
    w.member("action", to_string(step.action));
    w.member("scope", to_string(step.place.scope));
    w.member("directory", step.place.directory.string());
    if (!step.slug.empty()) w.member("slug", step.slug);
    if (!step.other.empty()) w.member("other", step.other);
    w.member("why", step.why);
    w.member_bool("proposal", step.is_proposal);
    w.member_bool("done", step.done);
    w.end_object();
  }
  w.end_array();
  w.key("notices");
  w.begin_array();
  for (const auto& notice : plan.notices)
    w.string(notice);
  w.end_array();
  w.end_object();
  std::cout << out << '\n';
}

std::string_view standing_of(const memories::GardenStep& step, bool applied) {
  if (step.is_proposal) return "propose";
  if (!applied) return "would";
  return step.done ? "done" : "failed";
}

Result<void> print_garden(const Invocation& call, const memories::GardenPlan& plan, bool applied) {
  Screen screen(call.look);
  const memory::MemoryPlace* place = nullptr;
  std::size_t open = 0;
  for (const auto& step : plan.steps) {
    if (place == nullptr || place->directory != step.place.directory)
      screen.text(Line(short_path(step.place.directory.native()), Style::name)
                      .add(" (" + std::string(to_string(step.place.scope)) + ")", Style::faint));
    place = &step.place;
    screen.text(Line(fmt::format("  {:<8} ", standing_of(step, applied)), Style::warning)
                    .add(fmt::format("{:<12} ", to_string(step.action)), Style::strong)
                    .add(step.slug, Style::id));
    constexpr std::size_t kIndent = 11;
    screen.text(Line(step.why), kIndent);
    open += !step.is_proposal && !step.done;
  }
  if (plan.steps.empty())
    screen.line("There is nothing to tidy.");
  else if (!applied && open > 0)
    screen.text("Nothing was changed. --apply does what says \"would\"; what goes lies in the trash.");
  MEMD_TRY(screen.finish());
  for (const auto& notice : plan.notices)
    fmt::print(stderr, "memd: {}\n", harmless_line(notice));
  return {};
}

Result<int> tend_garden(const MemoryOptions& o, const Invocation& call) {
  const memories::Notebook notebook = notebook_of(call.settings);
  Reader reader(call.settings.layout.database());
  const memories::Gardener gardener(notebook, &reader, true);
  MEMD_TRY_ASSIGN(auto plan, gardener.plan());
  if (o.apply) gardener.apply(plan);
  if (call.as_json) {
    print_garden_json(plan);
  } else {
    MEMD_TRY(print_garden(call, plan, o.apply));
  }
  const bool failed = std::any_of(plan.steps.begin(), plan.steps.end(),
                                  [&](const auto& step) { return o.apply && !step.is_proposal && !step.done; });
  return failed ? kFailed : kOk;
}

}  // namespace

Command memory_garden_command(const Options& o) {
  return memory_subcommand("garden", "Tidy memories: say what to do and why, or do it", o,
                           {{"--apply", &o->apply, "Do it; what goes lies in the trash"}}, tend_garden);
}

}  // namespace memd::cli
