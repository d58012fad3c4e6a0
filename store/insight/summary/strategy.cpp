#include "store/insight/summary/strategy.hpp"

#include <array>
#include <utility>

namespace memd {
namespace {

constexpr std::size_t kFewTurns = 20;
constexpr std::size_t kSmallSession = 50;
constexpr std::size_t kLargeSession = 100;
constexpr std::int64_t kSecondsForLevels = 30;
constexpr std::int64_t kSecondsForModel = 2;  // minimum time for a model
constexpr std::size_t kTokensForModel = 300;  // fewer tokens hold only a few sentences, which can be quoted

constexpr std::array kNames{
    std::pair{SummaryStrategy::extractive, "extractive"},
    std::pair{SummaryStrategy::chronological, "chronological"},
    std::pair{SummaryStrategy::hierarchical, "hierarchical"},
    std::pair{SummaryStrategy::map_reduce, "map_reduce"},
    std::pair{SummaryStrategy::recursive, "recursive"},
    std::pair{SummaryStrategy::abstractive, "abstractive"},
};

}  // namespace

std::string_view to_string(SummaryStrategy strategy) {
  for (const auto& [s, name] : kNames)
    if (s == strategy) return name;
  return "";
}

std::optional<SummaryStrategy> parse_summary_strategy(std::string_view name) {
  for (const auto& [s, known] : kNames)
    if (name == known) return s;
  return std::nullopt;
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
