#pragma once

#include "daemon/config/model_config.hpp"
#include "daemon/models/model_clients.hpp"
#include "daemon/models/model_run.hpp"
#include "daemon/tools/llm_summarizer.hpp"
#include "schemas/base/timestamp.hpp"
#include "store/completions/summaries_file.hpp"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace memd::llm {

// Returns the configured language models, the preferred one first; empty: none is configured. Sends no request.
std::vector<LanguageModelChoice> make_language_models(const SummariesConfig& config);

struct SummarizerOptions {
  std::size_t parallel = 2;  // requests in parallel
  std::size_t calls = 2;     // calls that may wait for models, each holding a worker; further calls get cached answers
  std::size_t context_tokens = 8192;
  std::size_t max_tokens = 1500;
  completions::DailyBudget budget;
  Deadline::Now now = std::chrono::steady_clock::now;  // for max_seconds
};
SummarizerOptions summarizer_options(const SummariesConfig& config);

// Today's figures for reports.
struct SummarizerReport {
  std::vector<completions::ModelUsage> today;
  std::int64_t answers = 0;  // in the cache
  std::string trouble;       // why no request can be sent now; empty: no problem
};

// An answer to a request that no caller waits for.
struct BackgroundAnswer {
  std::string text;
  std::string model;  // name of the model that answered
};

// Writes summaries with the configured models, and sends them the daemon's own background requests. Creates its file
// and sends requests with the first use, not before. Thread-safe. Borrows the clock.
class ConfiguredSummarizer final : public tools::LlmSummarizer {
 public:
  ConfiguredSummarizer(std::vector<LanguageModelChoice> models, std::filesystem::path file, const Clock& clock,
                       SummarizerOptions options);

  std::string unavailable(const mcp::ToolContext& context) const override;
  Result<tools::LlmSummary> summarize(const tools::LlmSummaryRequest& request, mcp::ToolContext& context) override;
  std::string models() const override;
  std::string trouble() const override;

  // Sends a request to the served models, never to the client's model. Uses at most half of the day's budget; the other
  // half is reserved for summaries that a caller waits for. Errors: unavailable with the reason; invalid_argument when
  // no model answers this text; cancelled.
  Result<BackgroundAnswer> ask_in_background(const SummaryRequest& request, const std::string& session_uid,
                                             const std::stop_token& stop);
  Result<void> forget_answers(const std::string& session_uid);
  Result<std::uint64_t> secret() const;  // for enclosed()
  std::size_t context_tokens() const { return options_.context_tokens; }

  Result<SummarizerReport> report() const;
  const completions::DailyBudget& budget() const { return options_.budget; }

 private:
  struct Storage {  // made on first use
    std::shared_ptr<completions::SummariesFile> file;
    std::unique_ptr<completions::AnswerCache> cache;
    std::unique_ptr<completions::SpendingLedger> spending;
    std::unique_ptr<completions::SpendingLedger> spending_in_background;
  };

  Result<const Storage*> storage() const;
  std::vector<RunModel> models_for(const mcp::ToolContext& context) const;

  const std::vector<LanguageModelChoice> models_;
  const std::filesystem::path file_;
  const Clock& clock_;
  const SummarizerOptions options_;
  RequestSlots slots_;
  std::atomic<std::size_t> calls_{0};  // calls that wait for models
  mutable std::mutex mutex_;
  mutable std::unique_ptr<const Storage> storage_;  // guarded by mutex_; constant once set
};

}  // namespace memd::llm
