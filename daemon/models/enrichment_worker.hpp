#pragma once

#include "daemon/models/exchange_enricher.hpp"
#include "daemon/models/session_analyzer.hpp"
#include "schemas/time.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

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

// The thread that makes terms and vectors of stored exchanges, and analyses sessions that have stopped. It sleeps until
// a hint or until the next session stops, then has an ExchangeEnricher and a SessionAnalyzer process the queues in the
// store. The queues survive restarts, so nothing is made twice or left out. Public members are thread-safe. Borrows the
// clock and what the parts refer to.
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
  void on_model(const std::string& name) override;
  void on_trouble(const Error& error, TargetModel::Time until) override;
  void on_trouble_over() override;
  void on_texts(std::uint64_t embedded, std::uint64_t refused) override;
  void on_exchanges(std::uint64_t finished) override;

  void run(const std::stop_token& stop);
  bool wait_for_work(const std::stop_token& stop);
  void work(ExchangeEnricher& enricher, SessionAnalyzer& analyzer, const std::stop_token& stop);
  void wait_for_store();
  void wake_when(std::optional<TimeMs> due);
  void trim_memory(std::uint64_t written);  // after much work
  bool includes_unsettled() const;

  const EnrichmentParts parts_;
  const Clock& clock_;
  const EnrichmentOptions options_;
  std::uint64_t written_at_trim_ = 0;  // exchanges; worker thread only

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable_any wake_;
  std::condition_variable_any became_idle_;
  bool hinted_ = true;  // an earlier process may have left work
  bool include_unsettled_ = false;
  bool idle_ = false;
  std::optional<TargetModel::Time> wake_at_;
  EnrichmentProgress progress_;

  std::jthread thread_;
};

}  // namespace memd
