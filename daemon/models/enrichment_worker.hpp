#pragma once

#include "daemon/models/embedding_models.hpp"
#include "daemon/models/enrichment_progress.hpp"
#include "daemon/models/settling.hpp"
#include "daemon/models/target_model.hpp"
#include "daemon/models/term_extractor.hpp"
#include "daemon/models/vector_maker.hpp"
#include "schemas/time.hpp"
#include "store/reader.hpp"
#include "store/write/writer.hpp"

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace memd {

struct EnrichmentOptions {
  bool in_background = true;             // takes what others leave of the processors
  std::chrono::milliseconds hold{5};     // of the writer, aimed at for one batch
  std::size_t most_exchanges = 256;      // in one batch
  Settling::Limits local{1000, 10'000};  // before an exchange is embedded in this process
  Settling::Limits remote{10'000, 120'000};
  TargetModel::Now steady_now = std::chrono::steady_clock::now;
};

// Makes terms and vectors of exchanges after they are stored, on a thread of its own: it sleeps until it is hinted at
// something new, takes exchanges from the queue in the store, and hands what it made to the writer. What is in the
// queue survives restarts, so nothing is made twice and nothing is left out. Public members are thread-safe. What the
// parts refer to must outlive the worker.
class EnrichmentWorker {
 public:
  struct Parts {
    std::filesystem::path database;
    // Runs on the thread that may write, and waits for it. What it is given may run, or be dropped, after it returned.
    std::function<Result<void>(std::function<Result<void>(Writer&)>)> perform;
    // True when nothing is being taken in; waits at most so long for that. Reading history comes first.
    std::function<bool(std::chrono::milliseconds)> wait_for_ingest;
    std::function<std::shared_ptr<const embedding::Models>()> models;  // called on the worker's thread
    MakeTermExtractor terms;
  };

  EnrichmentWorker(Parts parts, const Clock& clock, EnrichmentOptions options = {});
  ~EnrichmentWorker();  // stops and waits

  void start();
  void hint();  // something may have come into the queue
  void stop();  // does not wait; a request under way is given up
  void join();

  // Works now on what would be left to settle, until told otherwise.
  void hurry(bool yes);
  // True when nothing is left that can be done now; false at the deadline.
  bool block_until_idle(std::chrono::milliseconds deadline);

  EnrichmentProgress progress() const;

 private:
  struct Made;

  void give_memory_back();  // after much work
  void run(const std::stop_token& stop);
  bool wait_for_work(const std::stop_token& stop);
  void work(const std::stop_token& stop);
  // True: there may be more.
  Result<bool> take_batch(const std::stop_token& stop);
  Result<void> tell(EnrichmentTarget target);
  Result<void> choose_model(const EmbeddingModels& stored, const std::stop_token& stop);
  std::vector<PendingExchange> settled_of(std::vector<PendingExchange> pending);
  Result<void> enrich(const std::vector<PendingExchange>& batch, const std::stop_token& stop);
  Result<void> add_vectors(const std::vector<PendingExchange>& batch, std::vector<Enrichment>& made,
                           const std::stop_token& stop);
  Result<void> drop_replaced_vectors(const std::stop_token& stop);
  Result<void> write(std::vector<Enrichment> made);
  void adapt(std::chrono::nanoseconds held, std::size_t exchanges);
  void in_trouble(const Error& error, TargetModel::Time until);

  const Parts parts_;
  const Clock& clock_;
  const EnrichmentOptions options_;

  // Worker thread only.
  std::unique_ptr<Reader> store_;
  std::shared_ptr<const embedding::Models> models_;
  std::unique_ptr<TermExtractor> terms_;
  std::unique_ptr<TargetModel> target_;
  const embedding::ModelChoice* model_ = nullptr;  // whose vectors are made now; null: none
  std::optional<EnrichmentTarget> told_;           // to the store
  VectorMaker vectors_;
  Settling settling_;
  std::size_t batch_;  // exchanges; adapts
  bool tidy_ = false;  // no vectors of replaced models are left
  std::uint64_t since_trim_ = 0;

  // Guarded by mutex_.
  mutable std::mutex mutex_;
  std::condition_variable_any wake_;
  std::condition_variable_any became_idle_;
  bool hinted_ = true;  // what an earlier process left
  bool hurry_ = false;
  bool idle_ = false;
  std::optional<TargetModel::Time> wake_at_;
  EnrichmentProgress progress_;

  std::jthread thread_;
};

}  // namespace memd
