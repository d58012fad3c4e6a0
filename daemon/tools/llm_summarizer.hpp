#pragma once

#include "protocol/mcp/tool_context.hpp"
#include "schemas/base/result.hpp"
#include "schemas/session_row.hpp"
#include "store/insight/summary/extractive.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace memd::tools {

enum class SummaryStyle { technical, narrative, topical };

struct LlmSummaryRequest {
  const SessionRow& session;
  std::span<const SummaryInput> exchanges;  // of the session, in order
  std::string strategy;                     // abstractive, recursive, map_reduce, hierarchical
  SummaryStyle style = SummaryStyle::technical;
  std::size_t max_tokens = 1000;            // of the summary
  std::optional<std::int64_t> max_seconds;  // how long the caller waits
};

struct LlmSummaryPart {   // a chunk of a hierarchy
  std::size_t first = 0;  // indices into LlmSummaryRequest::exchanges
  std::size_t last = 0;
  std::string summary;
};

struct LlmSummary {
  std::string text;
  std::string abstract;                // hierarchical: one paragraph
  std::vector<LlmSummaryPart> chunks;  // hierarchical
  std::string model;                   // "ollama/qwen3:8b", "client/…"
  bool from_cache = false;
  std::int64_t requests = 0;  // sent to the model for this answer
  std::string notice;         // what could not be done; empty: nothing
};

// Writes summaries with a language model: a configured one, or one that the client offers. Thread-safe.
class LlmSummarizer {
 public:
  virtual ~LlmSummarizer() = default;
  // Returns why no model is available to this call ("no provider is configured"); empty: one is.
  virtual std::string unavailable(const mcp::ToolContext& context) const = 0;
  // Returns the available models, the preferred one first: "ollama/qwen3:8b, client".
  virtual std::string models() const { return {}; }
  // Returns why no caller can use a model at present; empty: nothing is wrong.
  virtual std::string trouble() const { return {}; }
  // On an error the caller answers without a model, but it returns Errc::input_required and Errc::cancelled.
  virtual Result<LlmSummary> summarize(const LlmSummaryRequest& request, mcp::ToolContext& context) = 0;
};

}  // namespace memd::tools
