#pragma once

#include "daemon/tools/llm_summarizer.hpp"
#include "schemas/language_model.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// What models are asked, word for word. Texts of history stand between marks (record_envelope.hpp); around them nothing
// depends on the session, so that what is asked about a part stays the same as long as the part does.
namespace memd::llm {

// A request and how long the summary it asks for may be.
struct SummaryRequest {
  CompletionRequest request;
  std::size_t max_tokens = 0;
};

class SummaryPrompts {
 public:
  // `secret`: see enclosed().
  SummaryPrompts(tools::SummaryStyle style, std::uint64_t secret) : style_(style), secret_(secret) {}

  SummaryRequest whole_session(std::string_view record, std::size_t tokens) const;
  // In no style: parts serve all of them.
  SummaryRequest part(std::string_view record, std::size_t tokens) const;
  SummaryRequest update(std::string_view summary, std::string_view record, std::size_t tokens) const;
  SummaryRequest combine(const std::vector<std::string>& summaries, std::size_t tokens) const;
  SummaryRequest abstract(std::string_view summary, std::size_t tokens) const;

 private:
  SummaryRequest make(std::string task, std::string records, std::size_t tokens) const;

  const tools::SummaryStyle style_;
  const std::uint64_t secret_;
};

// Tokens of a request besides the texts it is about, at most.
inline constexpr std::size_t kPromptTokens = 700;

}  // namespace memd::llm
