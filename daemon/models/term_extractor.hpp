#pragma once

#include "schemas/enrichment.hpp"
#include "schemas/error.hpp"
#include "store/enrich/embedding/embedder.hpp"

#include <filesystem>
#include <functional>
#include <memory>

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

}  // namespace memd
