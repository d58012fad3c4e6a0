#include "daemon/host/semantic_side.hpp"

#include "daemon/models/exchange_enricher.hpp"

#include <utility>

namespace memd {

SemanticSide::SemanticSide(EmbeddingConfig config, std::filesystem::path database, const Clock& clock)
    : config_(std::move(config)), database_(std::move(database)), clock_(clock) {
  const auto trouble = [this] {
    const EnrichmentWorker* w = worker();
    return w != nullptr ? w->progress().trouble : std::string();
  };
  index_ = std::make_shared<embedding::ServingIndex>(
      database_, [this] { return models(); }, trouble);
}

std::shared_ptr<const embedding::Models> SemanticSide::models() {
  std::call_once(made_, [this] { models_ = embedding::make_models(config_); });
  return models_;
}

void SemanticSide::make_worker(IngestService& ingest, bool in_background) {
  EnrichmentParts parts;
  parts.database = database_;
  parts.perform = [&ingest](std::function<Result<void>(Writer&)> task) { return ingest.perform(std::move(task)); };
  parts.wait_for_ingest = [&ingest](std::chrono::milliseconds patience) { return ingest.block_until_idle(patience); };
  parts.models = [this] { return models(); };
  parts.terms = [this](const std::filesystem::path& database) { return make_store_terms(database, models()->builtin); };
  EnrichmentOptions options;
  options.in_background = in_background;
  worker_ = std::make_unique<EnrichmentWorker>(std::move(parts), clock_, std::move(options));
  published_ = worker_.get();
}

}  // namespace memd
