#pragma once

#include "daemon/background_thread.hpp"
#include "daemon/models/exchange_enricher.hpp"
#include "daemon/models/session_analyzer.hpp"
#include "daemon/models/step_trouble.hpp"
#include "schemas/base/timestamp.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

namespace memd {

// The state of the worker.
struct EnrichmentProgress {
  bool working = false;
  std::string model;            // model that makes vectors; empty: none now
  std::uint64_t exchanges = 0;  // exchanges this process gave vectors, or terms if there is no model
  std::uint64_t texts = 0;      // texts embedded by this process
  std::uint64_t refused = 0;    // texts that the model does not take
  double busy_seconds = 0;      // time spent on that
  std::string trouble;          // why vectors cannot be made now; empty: no problem
  bool store_busy = false;      // the trouble is a locked store
  TimeMs retry_at = 0;          // next try after trouble
};

// Makes terms and vectors of stored exchanges on one thread, and analyses sessions that have stopped on another. Both
// sleep until a hint or until the next session stops, then an ExchangeEnricher and a SessionAnalyzer process the queues
// in the store. The queues survive restarts, so nothing is made twice or left out. Public members are thread-safe.
// Borrows the clock and what the parts refer to.
class EnrichmentWorker final : private ExchangeEnricher::Listener {
 public:
  EnrichmentWorker(EnrichmentParts parts, const Clock& clock, EnrichmentOptions options = {});
  ~EnrichmentWorker();  // stops and waits

  void start();
  void hint();  // something may have been queued
  void stop();  // does not wait; abandons a running request
  void join();

  // true: processes exchanges that are still being written, too, until called with false.
  void include_unsettled(bool yes);
  // Returns true when all work possible now is done, false at the deadline.
  bool block_until_idle(std::chrono::milliseconds deadline);

  EnrichmentProgress progress() const;

 private:
  using Next = BackgroundThread::Next;

  void on_model(const std::string& name) override;
  void on_trouble(const Error& error, TargetModel::Time until) override;
  void on_trouble_over() override;
  void on_texts(std::uint64_t embedded, std::uint64_t refused) override;
  void on_exchanges(std::uint64_t finished) override;

  Next enrich(const std::stop_token& stop);
  Next analyze(const std::stop_token& stop);
  Next after(const Result<bool>& step, StepTrouble& trouble);
  bool leaves_store_alone(const StepTrouble& own, const StepTrouble& of_other) const;
  std::optional<TargetModel::Time> steady_time(std::optional<TimeMs> due) const;
  void trim_memory(std::uint64_t written);  // after much work
  bool includes_unsettled() const;

  const EnrichmentParts parts_;
  const Clock& clock_;
  const EnrichmentOptions options_;

  mutable std::mutex mutex_;  // guards the next five
  bool include_unsettled_ = false;
  EnrichmentProgress progress_;  // without the trouble
  StepTrouble with_exchanges_;
  StepTrouble with_model_;
  StepTrouble with_sessions_;

  // Used by exchanges_ only.
  std::unique_ptr<ExchangeEnricher> enricher_;
  std::optional<TargetModel::Time> model_retry_at_;
  std::uint64_t written_at_trim_ = 0;  // exchanges
  // Used by sessions_ only.
  std::unique_ptr<SessionAnalyzer> analyzer_;

  BackgroundThread exchanges_;
  BackgroundThread sessions_;
};

}  // namespace memd
