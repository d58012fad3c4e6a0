#pragma once

#include "schemas/time.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

// One exchange as the summary reads it. The views must live as long as the call.
struct SummaryInput {
  std::string_view label;  // e.g. "x42 2026-02-09 06:01"; opens the part of this exchange, may be empty
  std::string_view user_message;
  std::string_view interventions;
  std::string_view assistant_response;
  std::size_t answer_offset = 0;  // the final answer starts here in assistant_response
  std::int64_t tool_calls = 0;
  std::int64_t tool_errors = 0;
  std::vector<std::string_view> files_modified;
  std::string_view id;    // "x42"; may be empty
  TimeMs started_at = 0;  // 0: not known
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
  std::string_view focus;  // words the reader asked about; empty: none
};
inline constexpr double kDetailedRatio = 0.30;
inline constexpr double kBriefRatio = 0.10;
// Below this a summary says nothing: the ratio is for long histories.
inline constexpr std::size_t kLeastSummaryTokens = 60;

struct ExtractiveSummary {
  std::string text;
  std::size_t tokens = 0;
  std::size_t source_tokens = 0;
  std::size_t exchanges_mentioned = 0;  // inputs that have at least a line in the text
  bool capped = false;                  // max_tokens, not the ratio, ended it
};

// The sentences of some exchanges, in the order of how telling they are: what was asked, how it ended, decisions,
// errors and fixes, questions, frequent terms of this input. Made once, then asked for summaries of several sizes.
// What it was made from must outlive it. Deterministic; O(n log n). One thread at a time.
class Extract {
 public:
  explicit Extract(std::span<const SummaryInput> exchanges, std::string_view focus = {});
  ~Extract();
  Extract(Extract&&) noexcept;
  Extract& operator=(Extract&&) noexcept;

  // The best sentences that `ratio` of the source's tokens hold, in their order and with who said them. A sentence or
  // code block is taken whole or not at all, save a first request longer than the whole allowance. Never more than
  // max_tokens.
  ExtractiveSummary summary(double ratio, std::size_t max_tokens) const;
  std::size_t source_tokens() const;

 private:
  class Ranking;
  std::unique_ptr<Ranking> ranking_;
};

ExtractiveSummary summarize(std::span<const SummaryInput> exchanges, const SummaryLimits& limits);

}  // namespace memd
