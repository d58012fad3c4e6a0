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

// What the worker is doing.
struct EnrichmentProgress {
  bool working = false;
  std::string model;            // whose vectors are made; empty: none now
  std::uint64_t exchanges = 0;  // given vectors by this process; without a model, terms
  std::uint64_t texts = 0;      // embedded by this process
  std::uint64_t refused = 0;    // texts that the model does not take
  double busy_seconds = 0;      // spent on that
  std::string trouble;          // why vectors cannot be made now; empty: nothing
  bool store_busy = false;      // the trouble is that the store gives no lock
  TimeMs retry_at = 0;          // after trouble
};

// The thread that makes terms and vectors of exchanges after they are stored, and analyses sessions after they have
// stopped. It sleeps until it is hinted at something new or the next session stops, and then has an ExchangeEnricher
// and a SessionAnalyzer do what waits in the store. That survives restarts, so nothing is made twice and nothing is
// left out. Public members are thread-safe. Borrows the clock and what the parts refer to.
class EnrichmentWorker final : private ExchangeEnricher::Listener {
 public:
  EnrichmentWorker(EnrichmentParts parts, const Clock& clock, EnrichmentOptions options = {});
  ~EnrichmentWorker();  // stops and waits

  void start();
  void hint();  // something may have come into the queue
  void stop();  // does not wait; gives up a request under way
  void join();

  // Works at once on exchanges that are still being written, until told otherwise.
  void hurry(bool yes);
  // True when nothing is left that can be done now; false at the deadline.
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
  void give_memory_back(std::uint64_t written);  // after much work
  bool in_a_hurry() const;

  const EnrichmentParts parts_;
  const Clock& clock_;
  const EnrichmentOptions options_;
  std::uint64_t written_at_trim_ = 0;  // exchanges; worker thread only

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable_any wake_;
  std::condition_variable_any became_idle_;
  bool hinted_ = true;  // an earlier process may have left work
  bool hurry_ = false;
  bool idle_ = false;
  std::optional<TargetModel::Time> wake_at_;
  EnrichmentProgress progress_;

  std::jthread thread_;
};

}  // namespace memd
