#pragma once

#include "daemon/models/embedding_models.hpp"
#include "daemon/models/vector_maker.hpp"
#include "schemas/base/result.hpp"
#include "schemas/base/timestamp.hpp"
#include "schemas/enrichment.hpp"
#include "schemas/event.hpp"
#include "schemas/exchange_row.hpp"
#include "store/enrich/embedding/embedder.hpp"
#include "store/reader.hpp"
#include "store/write/writer.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

namespace memd {

// Finds the terms of an exchange: identifiers and topics. One thread.
class TermExtractor {
 public:
  virtual ~TermExtractor() = default;
  // Version of the extraction. It grows when the same exchange gives other terms than before; all terms are then made
  // again.
  virtual int version() const = 0;
  // Finds the terms of an exchange. Errors: those of the store.
  virtual Result<ExchangeTerms> extract(const PendingExchange& exchange) = 0;
};

// Makes an extractor on the thread that uses it.
using MakeTermExtractor = std::function<std::unique_ptr<TermExtractor>(const std::filesystem::path& database)>;

// Makes the extractor of identifiers and topics. For topics it uses the store's word statistics and, if not null,
// `embedder`.
std::unique_ptr<TermExtractor> make_store_terms(const std::filesystem::path& database,
                                                std::shared_ptr<embedding::Embedder> embedder);

// Decides whether an exchange is settled. An exchange that an agent still writes is skipped, because each new line
// would embed it again. It is settled when nothing was added for `quiet`, or `most` after it was first seen. One
// thread.
class ExchangeDebouncer {
 public:
  struct Limits {
    TimeMs quiet = 0;
    TimeMs most = 0;
  };

  // Call it before each round over the queue.
  void begin() { next_.reset(); }
  // `quiet_since`: when something was last added to the exchange.
  bool settled(ExchangeId id, TimeMs quiet_since, TimeMs now, const Limits& limits);
  // Returns when the first unsettled exchange will be settled; nullopt: all are.
  std::optional<TimeMs> next() const { return next_; }

 private:
  std::unordered_map<ExchangeId, TimeMs> first_seen_;  // unsettled exchanges
  std::optional<TimeMs> next_;
};

// The parts of the process that enrichment uses. All of them must outlive the enricher.
struct EnrichmentParts {
  std::filesystem::path database;
  // Runs a task on the writing thread and waits for it. Tasks own their data: one may still run, or be dropped, after
  // perform() returned.
  std::function<Result<void>(std::function<Result<void>(Writer&)>)> perform;
  // Waits at most the given time for ingest to be idle; true: it is. Reading history comes first.
  std::function<bool(std::chrono::milliseconds)> wait_for_ingest;
  std::function<std::shared_ptr<const embedding::Models>()> models;  // called on the worker's thread
  MakeTermExtractor terms;
  std::function<void()> on_analyzed;  // called on the worker's thread after sessions were analysed; may be empty
};

struct EnrichmentOptions {
  bool in_background = true;                      // at the lowest CPU priority; false: somebody waits for the end
  std::chrono::milliseconds hold{5};              // target time that one batch occupies the writer
  std::size_t most_exchanges = 256;               // in one batch
  ExchangeDebouncer::Limits local{1000, 10'000};  // before an exchange is embedded in this process
  ExchangeDebouncer::Limits remote{10'000, 120'000};
  TimeMs stopped_after = kStoppedAfter;  // silence of a session before it is analysed
  TargetModel::Now steady_now = std::chrono::steady_clock::now;
};

// Takes exchanges from the queue in the store in batches, makes their missing terms and vectors, and has them written.
// Chooses the model that makes vectors. One thread, and another one for vectors while somebody waits
// (!EnrichmentOptions::in_background). Borrows the parts, the clock and the listener.
class ExchangeEnricher {
 public:
  // Receives the enricher's reports, on its thread.
  class Listener {
   public:
    virtual void on_model(const std::string& name) = 0;  // this model makes vectors now
    virtual void on_trouble(const Error& error, TargetModel::Time retry_at) = 0;
    virtual void on_trouble_over() = 0;
    virtual void on_texts(std::uint64_t embedded, std::uint64_t refused) = 0;  // totals so far
    virtual void on_exchanges(std::uint64_t finished) = 0;                     // exchanges of this batch

   protected:
    ~Listener() = default;
  };

  ExchangeEnricher(const EnrichmentParts& parts, const Clock& clock, const EnrichmentOptions& options,
                   Listener& listener);

  // Call it before each round over the queue.
  void begin() { debouncer_.begin(); }
  // Enriches one batch. `include_unsettled`: unsettled exchanges too. True: there may be more. A model that cannot be
  // used now is reported to the listener and is no error: terms are still made.
  Result<bool> take_batch(bool include_unsettled, const std::stop_token& stop);
  // Returns when the first unsettled exchange of this round will be settled; nullopt: all are.
  std::optional<TimeMs> next_settled() const { return debouncer_.next(); }
  std::uint64_t exchanges_written() const { return written_; }

 private:
  Result<void> tell_store(EnrichmentTarget target);
  Result<void> choose_model(const EmbeddingModels& stored, const std::stop_token& stop);
  Result<std::vector<PendingExchange>> next_batch(bool include_unsettled);
  std::vector<PendingExchange> settled_of(std::vector<PendingExchange> pending, bool include_unsettled);
  Result<void> enrich(const std::vector<PendingExchange>& batch, const std::stop_token& stop);
  Result<void> add_terms(const std::vector<PendingExchange>& batch, std::vector<Enrichment>& made);
  Result<void> add_vectors(Result<std::vector<ExchangeVectors>> vectors, const std::vector<PendingExchange>& batch,
                           std::vector<Enrichment>& made);
  Result<void> write(std::vector<Enrichment> made);
  void adapt(std::chrono::nanoseconds held, std::size_t exchanges);
  Result<void> drop_replaced_vectors(const std::stop_token& stop);
  bool asks_server() const { return model_ != nullptr && model_->remote != nullptr; }

  const EnrichmentParts& parts_;
  const Clock& clock_;
  const EnrichmentOptions& options_;
  Listener& listener_;

  Reader store_;
  const std::shared_ptr<const embedding::Models> models_;
  TargetModel target_;
  std::unique_ptr<TermExtractor> terms_;           // made on the first batch
  const embedding::ModelChoice* model_ = nullptr;  // makes vectors now; null: none
  std::optional<EnrichmentTarget> stored_target_;  // the target that the store was given
  VectorMaker vectors_;
  ExchangeDebouncer debouncer_;
  std::size_t batch_;  // batch size in exchanges; adapts
  bool tidy_ = false;  // no vectors of replaced models are left
  std::uint64_t written_ = 0;
};

}  // namespace memd
