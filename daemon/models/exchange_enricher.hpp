#pragma once

#include "daemon/models/embedding_models.hpp"
#include "daemon/models/vector_maker.hpp"
#include "schemas/enrichment.hpp"
#include "schemas/error.hpp"
#include "schemas/event.hpp"
#include "schemas/time.hpp"
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
  // Grows when the same exchange gives other terms than before; all terms are then made again.
  virtual int version() const = 0;
  // Errors: those of the store.
  virtual Result<ExchangeTerms> extract(const PendingExchange& exchange) = 0;
};

// Called on the thread that uses what it makes.
using MakeTermExtractor = std::function<std::unique_ptr<TermExtractor>(const std::filesystem::path& database)>;

// Finds identifiers and topics. For topics it uses what the store knows of its words and, if not null, `embedder`.
std::unique_ptr<TermExtractor> make_store_terms(const std::filesystem::path& database,
                                                std::shared_ptr<embedding::Embedder> embedder);

// Leaves an exchange alone while an agent still writes it: it would be embedded again with every line. An exchange is
// settled when nothing was added for `quiet`, or `most` after it was first seen. One thread.
class Settling {
 public:
  struct Limits {
    TimeMs quiet = 0;
    TimeMs most = 0;
  };

  // Call it before the exchanges of one look at the queue.
  void begin() { next_.reset(); }
  bool settled(const PendingExchange& exchange, TimeMs now, const Limits& limits);
  // When the first unsettled exchange will be settled; nothing: all are.
  std::optional<TimeMs> next() const { return next_; }

 private:
  std::unordered_map<ExchangeId, TimeMs> first_seen_;  // of exchanges that were not settled
  std::optional<TimeMs> next_;
};

// What enrichment uses of the process. All of it must outlive the enricher.
struct EnrichmentParts {
  std::filesystem::path database;
  // Runs a task on the thread that may write, and waits for it. The task may run, or be dropped, after perform()
  // returned.
  std::function<Result<void>(std::function<Result<void>(Writer&)>)> perform;
  // True when nothing is being ingested; waits at most so long for that. Reading history comes first.
  std::function<bool(std::chrono::milliseconds)> wait_for_ingest;
  std::function<std::shared_ptr<const embedding::Models>()> models;  // called on the worker's thread
  MakeTermExtractor terms;
  std::function<void()> on_analyzed;  // called on the worker's thread after sessions were analysed; may be empty
};

struct EnrichmentOptions {
  bool in_background = true;             // the thread takes what others leave of the processors
  std::chrono::milliseconds hold{5};     // how long one batch should hold the writer
  std::size_t most_exchanges = 256;      // in one batch
  Settling::Limits local{1000, 10'000};  // before an exchange is embedded in this process
  Settling::Limits remote{10'000, 120'000};
  TimeMs stopped_after = kStoppedAfter;  // silence of a session before it is analysed
  TargetModel::Now steady_now = std::chrono::steady_clock::now;
};

// Takes exchanges from the queue in the store, a batch at a time, makes the terms and vectors they lack, and has them
// written. Chooses whose vectors are made. One thread. Borrows the parts, the clock and the listener.
class ExchangeEnricher {
 public:
  // Hears what happens, on the enricher's thread.
  class Listener {
   public:
    virtual void on_model(const std::string& name) = 0;  // its vectors are made now
    virtual void on_trouble(const Error& error, TargetModel::Time retry_at) = 0;
    virtual void on_trouble_over() = 0;
    virtual void on_texts(std::uint64_t embedded, std::uint64_t refused) = 0;  // so far
    virtual void on_exchanges(std::uint64_t finished) = 0;                     // of this batch

   protected:
    ~Listener() = default;
  };

  ExchangeEnricher(const EnrichmentParts& parts, const Clock& clock, const EnrichmentOptions& options,
                   Listener& listener);

  // Call it before the batches of one look at the queue.
  void begin() { settling_.begin(); }
  // Enriches one batch. `hurry`: exchanges that are not settled too. True: there may be more. A model that cannot be
  // used now is no error but a trouble told to the listener: terms are made nevertheless.
  Result<bool> take_batch(bool hurry, const std::stop_token& stop);
  // When the first unsettled exchange of this look will be settled; nothing: all are.
  std::optional<TimeMs> next_settled() const { return settling_.next(); }
  std::uint64_t exchanges_written() const { return written_; }

 private:
  Result<void> tell_store(EnrichmentTarget target);
  Result<void> choose_model(const EmbeddingModels& stored, const std::stop_token& stop);
  Result<std::vector<PendingExchange>> next_batch(bool hurry);
  std::vector<PendingExchange> settled_of(std::vector<PendingExchange> pending, bool hurry);
  Result<void> enrich(const std::vector<PendingExchange>& batch, const std::stop_token& stop);
  Result<void> add_vectors(const std::vector<PendingExchange>& batch, std::vector<Enrichment>& made,
                           const std::stop_token& stop);
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
  std::unique_ptr<TermExtractor> terms_;           // made with the first batch
  const embedding::ModelChoice* model_ = nullptr;  // whose vectors are made now; null: none
  std::optional<EnrichmentTarget> told_;           // to the store
  VectorMaker vectors_;
  Settling settling_;
  std::size_t batch_;  // exchanges; adapts
  bool tidy_ = false;  // no vectors of replaced models are left
  std::uint64_t written_ = 0;
};

}  // namespace memd
