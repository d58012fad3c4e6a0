#pragma once

#include "daemon/models/deadline.hpp"
#include "daemon/models/request_slots.hpp"
#include "daemon/models/summary_prompts.hpp"
#include "protocol/mcp/tool_context.hpp"
#include "store/completions/summaries_file.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memd::llm {

// A model that may be asked in this call.
struct RunModel {
  LanguageModel* model = nullptr;
  bool all_at_once = false;  // the client's: each time it is asked may cost a round trip and a person's consent
  std::function<std::string()> left_alone;  // why it is not to be asked now; empty: nothing keeps it
};

struct RunParts {
  std::vector<RunModel> models;  // not empty; the next one is asked when one cannot be
  completions::AnswerCache& cache;
  completions::SpendingLedger& spending;
  RequestSlots& slots;
  std::size_t parallel = 1;
  std::string session_uid;
};

// The requests of one summary. Each is looked for in the cache, charged, asked, cleaned and kept as soon as it is
// answered, so that nothing is asked twice whatever ends the run. Used by one thread.
class ModelRun {
 public:
  ModelRun(RunParts parts, const mcp::ToolContext& context, const Deadline& deadline)
      : parts_(std::move(parts)), context_(context), deadline_(deadline) {}

  using Answers = std::vector<std::optional<std::string>>;
  // In the order of the requests; those that are missing could not be had, for the reason in trouble(). After trouble
  // only the cache is asked. Errors: cancelled, input_required.
  Result<Answers> ask(std::span<const SummaryRequest> requests);
  Result<std::optional<std::string>> ask(const SummaryRequest& request);

  // From now on no model is asked, for this reason.
  void only_cached(std::string why) { trouble_ = std::move(why); }
  const std::string& trouble() const { return trouble_; }  // empty: none
  std::int64_t requests() const { return requests_; }
  std::string models() const;  // whose answers were used
  // Progress is told out of so many requests,
  void expect(std::size_t requests) { expected_ = requests; }
  // and as a step of so many: "summarising parts, 3 of 12".
  void begin(std::string_view step, std::size_t of);

 private:
  struct Missing {
    const SummaryRequest* request = nullptr;
    std::optional<std::string>* answer = nullptr;
  };

  std::vector<Missing> look_up(std::span<const SummaryRequest> requests, Answers& answers);
  Result<void> ask_all_at_once(std::span<const Missing> missing);
  Result<void> ask_in_parallel(std::span<const Missing> missing);
  Result<void> ask_one(const Missing& missing);
  Result<completions::SpendingLedger::Charge> charge(const SummaryRequest& request);
  void release(const completions::SpendingLedger::Charge& charge, const Error& error);
  Result<void> take(const Missing& missing, const Completion& completion,
                    const completions::SpendingLedger::Charge& charge);
  bool give_up(const Error& error);
  LanguageModel& model() const { return *parts_.models[active_].model; }
  std::string step_now() const;

  const RunParts parts_;
  const mcp::ToolContext& context_;
  const Deadline& deadline_;
  std::size_t active_ = 0;
  std::string trouble_;
  std::atomic<bool> over_budget_{false};  // no other model helps against that
  std::mutex mutex_;                      // while requests are under way it guards what follows
  std::set<std::string> used_;            // models
  std::int64_t requests_ = 0;
  std::size_t done_ = 0;
  std::size_t expected_ = 0;
  std::string step_;
  std::size_t step_of_ = 0;
  std::size_t done_before_step_ = 0;
};

}  // namespace memd::llm
