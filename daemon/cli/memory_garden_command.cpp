// `memd memory garden`: keeps memories tidy, by rules.
#include "daemon/cli/memory_commands.hpp"
#include "daemon/cli/render/screen.hpp"
#include "daemon/cli/render/words.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/memories/gardener.hpp"
#include "schemas/base/harmless.hpp"
#include "store/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

namespace memd::cli {
namespace {

std::optional<std::string> if_any(const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); }

GardenReport garden_report(const memories::GardenPlan& plan) {
  GardenReport out;
  for (const auto& step : plan.steps)
    out.steps.push_back({std::string(to_string(step.action)), std::string(to_string(step.place.scope)),
                         step.place.directory.string(), if_any(step.slug), if_any(step.other), step.why,
                         step.is_proposal, step.done});
  out.notices = plan.notices;
  return out;
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
    screen.text("Nothing was changed. --apply does what says \"would\"; what is removed goes to the trash.");
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
    MEMD_TRY(print_json(call, garden_report(plan)));
  } else {
    MEMD_TRY(print_garden(call, plan, o.apply));
  }
  const bool failed = std::any_of(plan.steps.begin(), plan.steps.end(),
                                  [&](const auto& step) { return o.apply && !step.is_proposal && !step.done; });
  return failed ? kFailed : kOk;
}

}  // namespace

Command memory_garden_command(const Options& o) {
  return memory_subcommand<GardenReport>("garden", "Tidy memories: say what to do and why, or do it", o,
                                         {{"--apply", &o->apply, "Do it; what is removed goes to the trash"}},
                                         tend_garden);
}

}  // namespace memd::cli
