#pragma once

#include "daemon/models/exchange_enricher.hpp"
#include "schemas/base/result.hpp"
#include "schemas/base/timestamp.hpp"
#include "schemas/enrichment.hpp"
#include "store/enrich/embedding/embedder.hpp"
#include "store/reader.hpp"
#include "store/write/writer.hpp"

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace memd {

// The parts of the process that the second look uses. All of them must outlive the worker.
struct SecondLookParts {
  std::filesystem::path database;
  // As in EnrichmentParts.
  std::function<Result<void>(std::function<Result<void>(Writer&)>)> perform;
  std::function<bool(std::chrono::milliseconds)> wait_for_ingest;
  // Returns the network; null: the second look is off. Called once, on the worker's thread.
  std::function<std::shared_ptr<embedding::Embedder>()> network;
  // Returns whether it is off for want of the network's file only: the store keeps the vectors. Likewise; empty: it is
  // not.
  std::function<bool()> lacks_network;
};

// Takes exchanges from the queue of the second look, makes their vectors and has them written. Tells the store which
// network makes them, or that the second look is off. One thread. Borrows the parts and the clock.
class SecondLookMaker {
 public:
  SecondLookMaker(const SecondLookParts& parts, const Clock& clock, ExchangeDebouncer::Limits settled_after);

  bool is_off() const { return network_ == nullptr; }
  // Call it before each round over the queue.
  void begin() { debouncer_.begin(); }
  // Returns the newest exchanges that wait, empty: none. `include_unsettled`: also those that are still being written.
  // While the second look is turned off, deletes what it left in the store.
  Result<std::vector<PendingSecondLook>> next_batch(bool include_unsettled, const std::stop_token& stop);
  // Makes the vectors of a batch and stores them. Errors: those of the store; cancelled.
  Result<void> make(const std::vector<PendingSecondLook>& batch, const std::stop_token& stop);
  // Returns when the first unsettled exchange of this round will be settled; nullopt: all are.
  std::optional<TimeMs> next_settled() const { return debouncer_.next(); }

 private:
  Result<void> tell_store(const std::stop_token& stop);
  Result<void> drop_all(const std::stop_token& stop);

  const SecondLookParts& parts_;
  const Clock& clock_;
  const ExchangeDebouncer::Limits settled_after_;
  Reader store_;
  const std::shared_ptr<embedding::Embedder> network_;
  const bool lacks_network_;
  ExchangeDebouncer debouncer_;
  bool store_knows_ = false;  // the network, or that there is none
};

}  // namespace memd
