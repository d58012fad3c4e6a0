#include "daemon/tools/summary_plan.hpp"

#include <algorithm>

namespace memd::tools {
namespace {

constexpr int kSessionLevel = 2;

std::string call(const SessionRow& session, const std::string& arguments) {
  return "session_summary(session_id=\"" + session.uid + "\", " + arguments + ")";
}

}  // namespace

Result<SummaryPlan> plan_of(const SessionSummaryParams& params) {
  SummaryPlan plan;
  if (params.chunk && (params.first_exchange || params.last_exchange))
    return Error(Errc::invalid_argument, "chunk: send either chunk or first_exchange and last_exchange");
  if (params.chunk) {
    plan.first = *params.chunk * kChunkExchanges;
    plan.last = plan.first + kChunkExchanges - 1;
    plan.part = true;
  }
  if (params.first_exchange || params.last_exchange) {
    plan.first = params.first_exchange.value_or(plan.first);
    plan.last = params.last_exchange.value_or(plan.last);
    plan.part = true;
  }
  if (plan.last < plan.first)
    return Error(Errc::invalid_argument, "last_exchange: has to be first_exchange (" + std::to_string(plan.first) +
                                             ") or more, not " + std::to_string(plan.last));
  return plan;
}

Error no_such_part(const SummaryPlan& plan, const SessionRow& session, std::int64_t last_number) {
  return Error(Errc::invalid_argument, "session " + session.uid + " has no exchange " + std::to_string(plan.first) +
                                           ": its last is number " + std::to_string(last_number) +
                                           ", its last chunk number " + std::to_string(last_number / kChunkExchanges));
}

void choose_strategy(SummaryPlan& plan, const SessionSummaryParams& params, const SessionOutline& outline,
                     std::size_t max_tokens, bool model) {
  const auto named = parse_summary_strategy(params.strategy);
  if (named) {
    plan.asked = *named;
  } else if (params.level && !plan.part) {
    plan.asked = SummaryStrategy::hierarchical;
  } else if (plan.part) {
    plan.asked = SummaryStrategy::extractive;
  } else {
    SummaryConstraints c;
    c.exchanges = outline.inputs().size();
    c.days = outline.days();
    c.max_tokens = max_tokens;
    c.max_seconds = params.max_seconds;
    c.model = model;
    plan.asked = select_strategy(c);
    if (params.style == "narrative" && plan.asked == SummaryStrategy::extractive)
      plan.asked = SummaryStrategy::chronological;
  }
  // What a model would have written is quoted in the form that comes nearest.
  plan.form.strategy = plan.asked;
  if (needs_model(plan.asked))
    plan.form.strategy = plan.asked == SummaryStrategy::map_reduce && !plan.part ? SummaryStrategy::hierarchical
                                                                                 : SummaryStrategy::extractive;
  plan.form.level = static_cast<int>(params.level.value_or(kSessionLevel));
  plan.form.ratio = plan.form.strategy == SummaryStrategy::hierarchical
                        ? kLevelRatios[static_cast<std::size_t>(plan.form.level == 1 ? 3 : plan.form.level)]
                        : kDetailedRatio;
  if (params.compression)
    plan.form.ratio = 1 - (*params.compression < 1 ? *params.compression : *params.compression / 100);
}

std::string call_for_more(const SummaryPlan& plan, const SessionOutline& outline) {
  if (outline.inputs().empty()) return {};
  const SessionRow& session = outline.session();
  if (!plan.part) {
    const bool levels = plan.form.strategy == SummaryStrategy::hierarchical;
    if (levels && plan.form.level > 1) return call(session, "level=" + std::to_string(plan.form.level - 1));
    if (outline.chunk_count() > 1) return call(session, levels ? "chunk=0" : "level=1");
  }
  const SummaryInput& one = plan.part ? outline.inputs().front() : outline.inputs().back();
  return "get_exchange(ids=[\"" + std::string(one.id) + "\"])";
}

}  // namespace memd::tools
