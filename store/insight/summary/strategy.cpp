#include "store/insight/summary/strategy.hpp"

#include "schemas/base/reflected_name.hpp"

namespace memd {
namespace {

constexpr std::size_t kFewTurns = 20;
constexpr std::size_t kSmallSession = 50;
constexpr std::size_t kLargeSession = 100;
constexpr std::int64_t kSecondsForLevels = 30;
constexpr std::int64_t kSecondsForModel = 2;  // minimum time for a model
constexpr std::size_t kTokensForModel = 300;  // fewer tokens hold only a few sentences, which can be quoted

}  // namespace

std::string_view to_string(SummaryStrategy strategy) { return reflect::enum_name(strategy); }
std::optional<SummaryStrategy> parse_summary_strategy(std::string_view name) {
  return reflect::enum_of<SummaryStrategy>(name);
}

bool needs_model(SummaryStrategy strategy) {
  return strategy == SummaryStrategy::map_reduce || strategy == SummaryStrategy::recursive ||
         strategy == SummaryStrategy::abstractive;
}

SummaryStrategy select_strategy(const SummaryConstraints& c) {
  const bool in_time = !c.max_seconds || *c.max_seconds >= kSecondsForModel;
  if (!c.model || !in_time || c.max_tokens < kTokensForModel) {
    if (c.exchanges > kLargeSession) return SummaryStrategy::hierarchical;
    if (c.days > 1 && c.exchanges > kFewTurns) return SummaryStrategy::chronological;
    return SummaryStrategy::extractive;
  }
  if (c.exchanges <= kSmallSession) return SummaryStrategy::abstractive;
  if (c.exchanges > kLargeSession)
    return c.max_seconds && *c.max_seconds < kSecondsForLevels ? SummaryStrategy::map_reduce
                                                               : SummaryStrategy::hierarchical;
  return SummaryStrategy::recursive;
}

}  // namespace memd
