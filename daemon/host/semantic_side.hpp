#pragma once

#include "daemon/config/model_config.hpp"
#include "daemon/ingest/ingest_service.hpp"
#include "daemon/models/enrichment_worker.hpp"
#include "daemon/models/serving_index.hpp"
#include "schemas/time.hpp"

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>

namespace memd {

// Owns what searches by meaning need: the configured models, their vectors in memory, and the worker that makes them.
// Loads nothing until it is used. Public members are thread-safe. The clock must outlive it.
class SemanticSide {
 public:
  SemanticSide(EmbeddingConfig config, std::filesystem::path database, const Clock& clock);

  std::shared_ptr<const embedding::Models> models();
  const std::shared_ptr<embedding::ServingIndex>& index() const { return index_; }

  // Makes the worker of a process that ingests, and has it hinted at each commit. Before `ingest` starts, which must
  // outlive the worker's thread.
  void make_worker(IngestService& ingest, bool in_background);
  EnrichmentWorker* worker() const { return published_; }  // null in a process that does not ingest

 private:
  const EmbeddingConfig config_;
  const std::filesystem::path database_;
  const Clock& clock_;
  std::once_flag made_;
  std::shared_ptr<const embedding::Models> models_;
  std::shared_ptr<embedding::ServingIndex> index_;
  std::unique_ptr<EnrichmentWorker> worker_;
  std::atomic<EnrichmentWorker*> published_{nullptr};
};

}  // namespace memd
