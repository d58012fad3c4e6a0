#include "daemon/models/term_extractor.hpp"

#include "store/db/database.hpp"
#include "store/enrich/topics/topic_extractor.hpp"
#include "store/text/code_names.hpp"

#include <utility>

namespace memd {

namespace {

class StoreTerms final : public TermExtractor {
 public:
  StoreTerms(const std::filesystem::path& database, std::shared_ptr<embedding::Embedder> embedder)
      : db_(sqlite::Database::open(database, sqlite::OpenMode::read_only)),
        embedder_(std::move(embedder)),
        topics_(db_, embedder_.get()) {}

  int version() const override { return 1; }

  Result<ExchangeTerms> extract(const PendingExchange& exchange) override {
    return sqlite::guard([&] {
      const sqlite::Snapshot snapshot(db_);
      ExchangeTerms out;
      out.identifiers = enrichment::extract_identifiers(exchange);
      out.topics = topics_.extract(exchange);
      return out;
    });
  }

 private:
  sqlite::Database db_;
  std::shared_ptr<embedding::Embedder> embedder_;
  topics::TopicExtractor topics_;
};

}  // namespace

std::unique_ptr<TermExtractor> make_store_terms(const std::filesystem::path& database,
                                                std::shared_ptr<embedding::Embedder> embedder) {
  return std::make_unique<StoreTerms>(database, std::move(embedder));
}

}  // namespace memd
