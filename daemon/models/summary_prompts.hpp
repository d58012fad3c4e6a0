#pragma once

#include "daemon/tools/llm_summarizer.hpp"
#include "schemas/language_model.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// The exact requests to language models, and the cleaning of their answers. Pure functions, any thread.
namespace memd::llm {

inline constexpr std::string_view kRecordMark = "<<<RECORD ";
inline constexpr std::string_view kEndMark = "<<<END ";

// Encloses a text of history between two lines that cannot occur in it. Their tag is computed from the text and a
// secret, so the author of the text cannot predict it. The same text and secret give the same lines, so answers can be
// cached.
std::string enclosed(std::string_view text, std::uint64_t secret);

// A request and the maximum length of its summary in tokens.
struct SummaryRequest {
  CompletionRequest request;
  std::size_t max_tokens = 0;
};

class SummaryPrompts {
 public:
  // `secret`: see enclosed().
  SummaryPrompts(tools::SummaryStyle style, std::uint64_t secret) : style_(style), secret_(secret) {}

  SummaryRequest whole_session(std::string_view record, std::size_t tokens) const;
  // Builds the request for a part. It has no style, because the summary of a part serves all styles.
  SummaryRequest part(std::string_view record, std::size_t tokens) const;
  SummaryRequest update(std::string_view summary, std::string_view record, std::size_t tokens) const;
  SummaryRequest combine(const std::vector<std::string>& summaries, std::size_t tokens) const;
  SummaryRequest abstract(std::string_view summary, std::size_t tokens) const;

 private:
  SummaryRequest make(std::string task, std::string records, std::size_t tokens) const;

  const tools::SummaryStyle style_;
  const std::uint64_t secret_;
};

// Maximum tokens of a request without the texts it is about.
inline constexpr std::size_t kPromptTokens = 700;

// Removes from a model's answer: thoughts, the marks of our requests, tool calls, special tokens, control characters, a
// remark before the summary, and secrets. Cuts the rest to max_tokens. Empty: the answer held no summary.
std::string cleaned_answer(std::string answer, std::size_t max_tokens);

}  // namespace memd::llm
