#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace memd {

enum class SummaryStrategy : std::uint8_t {
  extractive,     // the most telling sentences
  chronological,  // phase by phase: asked, did, ended
  hierarchical,   // chunks, session, abstract
  map_reduce,     // the rest by a language model only
  recursive,
  abstractive,
};
std::string_view to_string(SummaryStrategy strategy);
std::optional<SummaryStrategy> parse_summary_strategy(std::string_view name);
// Whether it cannot be done without a language model.
bool needs_model(SummaryStrategy strategy);

struct SummaryConstraints {
  std::size_t exchanges = 0;
  std::size_t days = 1;  // on which there are some
  std::size_t max_tokens = 2000;
  std::optional<std::int64_t> max_seconds;  // the caller waits no longer; none: as long as it takes
  bool model = false;                       // a language model can be asked
};

// What `auto` means. With a model: sessions of up to 50 exchanges abstractive; of more than 100 in parallel parts when
// there is less than half a minute, else by levels; between, recursive. Where no model can answer in time, or the
// answer is to be no longer than a few sentences, and without a model: extractive, by phases when there are several
// days, by levels above 100 exchanges.
SummaryStrategy select_strategy(const SummaryConstraints& constraints);

}  // namespace memd
