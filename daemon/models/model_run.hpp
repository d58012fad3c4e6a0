#pragma once

#include "daemon/models/summary_prompts.hpp"
#include "protocol/mcp/tool_context.hpp"
#include "store/completions/summaries_file.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace memd::llm {

// A stop token that is requested when the caller's is, or when the allowed time has passed. Owns a waiting thread if
// there is a time limit. token() and passed() are thread-safe.
class Deadline {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Now = std::function<Time()>;

  Deadline(std::stop_token caller, std::optional<std::chrono::seconds> allowed, Now now);

  std::stop_token token() const { return source_.get_token(); }
  bool passed() const { return until_ && now_() >= *until_; }

 private:
  std::stop_source source_;
  std::stop_callback<std::function<void()>> caller_;
  const Now now_;
  const std::optional<Time> until_;
  std::mutex mutex_;
  std::condition_variable_any never_;
  std::jthread timer_;
};

// Limits the number of concurrent requests over all callers. Thread-safe.
class RequestSlots {
 public:
  explicit RequestSlots(std::size_t slots) : free_(slots) {}

  // Holds a slot for its lifetime; holds none if `stop` was requested first.
  class Slot {
   public:
    Slot(RequestSlots& slots, const std::stop_token& stop) : slots_(slots), held_(slots.take(stop)) {}
    ~Slot() {
      if (held_) slots_.give();
    }
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;
    explicit operator bool() const { return held_; }

   private:
    RequestSlots& slots_;
    const bool held_;
  };

 private:
  bool take(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    if (!freed_.wait(lock, stop, [this] { return free_ > 0; })) return false;
    --free_;
    return true;
  }
  void give() {
    const std::lock_guard lock(mutex_);
    ++free_;
    freed_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable_any freed_;
  std::size_t free_;  // guarded by mutex_
};

// A model that this call may ask.
struct RunModel {
  LanguageModel* model = nullptr;
  bool all_at_once = false;  // the client's model: each request may cost a round trip and the user's consent
  std::function<std::string()> left_alone;  // why it must not be asked now; empty: it may be
};

struct RunParts {
  std::vector<RunModel> models;  // not empty; if one cannot be asked, the next is
  completions::AnswerCache& cache;
  completions::SpendingLedger& spending;
  RequestSlots& slots;
  std::size_t parallel = 1;
  std::string session_uid;
};

// Answers the requests of one summary. For each, it looks in the cache, else charges the budget, asks a model, cleans
// the answer and caches it at once, so that nothing is asked twice however the run ends. One thread. Borrows
// everything.
class ModelRun {
 public:
  ModelRun(RunParts parts, const mcp::ToolContext& context, const Deadline& deadline)
      : parts_(std::move(parts)), context_(context), deadline_(deadline) {}

  using Answers = std::vector<std::optional<std::string>>;
  // Returns the answers in the order of the requests. trouble() has the reason for a missing one; after trouble only
  // the cache is used. Errors: cancelled, input_required.
  Result<Answers> ask(std::span<const SummaryRequest> requests);
  Result<std::optional<std::string>> ask(const SummaryRequest& request);

  // Restricts the run to the cache from now on, with the reason `why`.
  void only_cached(std::string why) { trouble_ = std::move(why); }
  const std::string& trouble() const { return trouble_; }  // empty: none
  bool is_over_budget() const { return over_budget_; }
  std::int64_t requests() const { return requests_; }
  std::string models() const;  // names of the models whose answers were used
  // Sets the total number of requests for progress reports.
  void expect(std::size_t requests) { expected_ = requests; }
  // Begins a step with `of` requests, for messages such as "summarising parts, 3 of 12".
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
  std::atomic<bool> over_budget_{false};  // another model would not help
  std::mutex mutex_;                      // guards the members below while requests run
  std::set<std::string> used_;            // names of models
  std::int64_t requests_ = 0;
  std::size_t done_ = 0;
  std::size_t expected_ = 0;
  std::string step_;
  std::size_t step_of_ = 0;
  std::size_t done_before_step_ = 0;
};

}  // namespace memd::llm
