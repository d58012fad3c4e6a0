#pragma once

#include "schemas/base/timestamp.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

// One exchange as input of a summary. The views must outlive the call.
struct SummaryInput {
  std::string_view label;  // e.g. "x42 2026-02-09 06:01"; heads the part of this exchange, may be empty
  std::string_view user_message;
  std::string_view interventions;
  std::string_view assistant_response;
  std::size_t answer_offset = 0;  // offset in assistant_response at which the final answer starts
  std::int64_t tool_calls = 0;
  std::int64_t tool_errors = 0;
  std::vector<std::string_view> files_modified;
  std::string_view id;    // "x42"; may be empty
  TimeMs started_at = 0;  // 0: unknown
  TimeMs ended_at = 0;
  std::size_t tokens = 0;  // of its three texts; 0: not counted yet

  std::string_view final_answer() const {
    return assistant_response.substr(std::min(answer_offset, assistant_response.size()));
  }
};
std::size_t source_tokens(const SummaryInput& exchange);

struct SummaryLimits {
  double ratio = 0.30;  // of the tokens of the source: 0.30 detailed, 0.10 brief
  std::size_t max_tokens = 1500;
  std::string_view focus;  // the reader's search words; empty: none
};
inline constexpr double kDetailedRatio = 0.30;
inline constexpr double kBriefRatio = 0.10;
// Minimum size of a summary; shorter ones are not informative. The ratio is meant for long histories.
inline constexpr std::size_t kLeastSummaryTokens = 60;

struct ExtractiveSummary {
  std::string text;
  std::size_t tokens = 0;
  std::size_t source_tokens = 0;
  std::size_t exchanges_mentioned = 0;  // inputs with at least one line in the text
  bool capped = false;                  // limited by max_tokens, not by the ratio
};

// The sentences of some exchanges, ordered by salience: requests, outcomes, decisions, errors and fixes, questions,
// frequent terms of this input. Built once, it can render summaries of several sizes. Its input must outlive it.
// Deterministic; O(n log n). One thread at a time.
class Extract {
 public:
  explicit Extract(std::span<const SummaryInput> exchanges, std::string_view focus = {});
  ~Extract();
  Extract(Extract&&) noexcept;
  Extract& operator=(Extract&&) noexcept;

  // Returns the best sentences that fit into `ratio` of the source's tokens, in their original order and with their
  // speaker. Takes a sentence or code block whole or not at all, except a first request longer than the whole
  // allowance. Never exceeds max_tokens.
  ExtractiveSummary summary(double ratio, std::size_t max_tokens) const;
  std::size_t source_tokens() const;

 private:
  class Ranking;
  std::unique_ptr<Ranking> ranking_;
};

ExtractiveSummary summarize(std::span<const SummaryInput> exchanges, const SummaryLimits& limits);

}  // namespace memd
