#pragma once

#include "store/insight/summary/extractive.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace memd {

inline constexpr TimeMs kPhasePause = 90LL * 60 * 1000;  // a pause of this length, or another local day, ends a phase

// A stretch of work without a long pause.
struct Phase {
  std::size_t first = 0;
  std::size_t count = 0;
};
// At most `most`: those with the shortest pause between them become one.
std::vector<Phase> phases_of(std::span<const SummaryInput> exchanges, std::size_t most);

// Tells in lines what some exchanges asked for and came to. Made once, it answers for several sizes. Its input must
// outlive it. Deterministic; linear in the text; one thread.
class Chronicle {
 public:
  explicit Chronicle(std::span<const SummaryInput> exchanges);

  // Phase by phase: when, what was asked, what was changed, how it ended; and, as far as the tokens go, what was asked
  // on the way. Never more than `ratio` of the source's tokens, nor than max_tokens.
  ExtractiveSummary by_phase(double ratio, std::size_t max_tokens) const;
  // A paragraph: the request it began with, where it went, what was decided, how it ended.
  ExtractiveSummary abstract(std::span<const std::string> decisions, double ratio, std::size_t max_tokens) const;

 private:
  struct Told {
    std::string asked;
    std::string result;
    double weight = 0;  // how much the request moves the work
  };
  class Lines;
  std::string least() const;
  ExtractiveSummary finished(std::string text, double ratio, std::size_t max_tokens) const;
  std::size_t allowed(double ratio, std::size_t max_tokens) const;

  std::span<const SummaryInput> exchanges_;
  std::vector<Told> told_;  // of each exchange
  std::size_t source_tokens_ = 0;
};

}  // namespace memd
