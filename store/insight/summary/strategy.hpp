#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace memd {

enum class SummaryStrategy : std::uint8_t {
  extractive,     // the most salient sentences
  chronological,  // phase by phase: request, changes, end
  hierarchical,   // chunks, session, abstract
  map_reduce,     // this and the following need a language model
  recursive,
  abstractive,
};
std::string_view to_string(SummaryStrategy strategy);
std::optional<SummaryStrategy> parse_summary_strategy(std::string_view name);
bool needs_model(SummaryStrategy strategy);

struct SummaryConstraints {
  std::size_t exchanges = 0;
  std::size_t days = 1;  // number of days with exchanges
  std::size_t max_tokens = 2000;
  std::optional<std::int64_t> max_seconds;  // maximum time that the caller waits; nullopt: unlimited
  bool model = false;                       // a language model is available
};

// Resolves `auto`. With a model: abstractive for sessions of up to 50 exchanges; above 100, map_reduce if less than
// half a minute is left, otherwise hierarchical; recursive between. Without a model, if none can answer in time, or if
// the answer is to be a few sentences: hierarchical above 100 exchanges, else chronological for more than 20 exchanges
// on several days, else extractive.
SummaryStrategy select_strategy(const SummaryConstraints& constraints);

}  // namespace memd
