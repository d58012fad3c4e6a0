#pragma once

#include "store/insight/summary/extractive.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace memd {

inline constexpr TimeMs kPhasePause = 90LL * 60 * 1000;  // a pause of this length, or another local day, ends a phase

// A stretch of work without a long pause, as a range of exchanges.
struct Phase {
  std::size_t first = 0;
  std::size_t count = 0;
};
// Returns at most `most` phases; merges those with the shortest pause between them.
std::vector<Phase> phases_of(std::span<const SummaryInput> exchanges, std::size_t most);

// Describes in lines the requests and results of exchanges. Built once, it can render several sizes. Its input must
// outlive it. Deterministic; linear in the text; one thread.
class Chronicle {
 public:
  explicit Chronicle(std::span<const SummaryInput> exchanges);

  // Renders phase by phase: time, request, changes, result; and, if tokens allow, further requests of the phase. Never
  // exceeds `ratio` of the source's tokens or max_tokens.
  ExtractiveSummary by_phase(double ratio, std::size_t max_tokens) const;
  // Renders one paragraph: first request, direction, decisions, end.
  ExtractiveSummary abstract(std::span<const std::string> decisions, double ratio, std::size_t max_tokens) const;

 private:
  struct ExchangeGist {
    std::string asked;
    std::string result;
    double weight = 0;  // the importance of the request for the course of the work
  };
  class Lines;
  std::string least() const;
  ExtractiveSummary finished(std::string text, double ratio, std::size_t max_tokens) const;
  std::size_t allowed(double ratio, std::size_t max_tokens) const;

  std::span<const SummaryInput> exchanges_;
  std::vector<ExchangeGist> gists_;  // one per exchange
  std::size_t source_tokens_ = 0;
};

}  // namespace memd
