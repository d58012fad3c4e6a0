#pragma once

#include "protocol/mcp/tool_context.hpp"
#include "schemas/error.hpp"
#include "schemas/query.hpp"
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
  std::optional<std::int64_t> max_seconds;  // the caller waits no longer
};

struct LlmSummaryPart {   // of a hierarchy: a chunk
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
  std::int64_t requests = 0;  // asked of the model for this answer
  std::string notice;         // what it could not do; empty: nothing
};

// Makes summaries with a language model, only if one is configured or the client offers its own. Thread-safe.
class LlmSummarizer {
 public:
  virtual ~LlmSummarizer() = default;
  // Says why no model would be asked for this call ("no provider is configured"); empty: one would.
  virtual std::string unavailable(const mcp::ToolContext& context) const = 0;
  // The models that may be asked, the preferred one first: "ollama/qwen3:8b, client".
  virtual std::string models() const { return {}; }
  // Says why no caller can have a model asked now; empty: nothing is wrong.
  virtual std::string trouble() const { return {}; }
  // After an error the caller answers without a model; it passes on Errc::input_required and Errc::cancelled.
  virtual Result<LlmSummary> summarize(const LlmSummaryRequest& request, mcp::ToolContext& context) = 0;
};

}  // namespace memd::tools
