#pragma once

#include "schemas/enrichment.hpp"
#include "schemas/error.hpp"

#include <filesystem>
#include <functional>
#include <memory>

namespace memd {

// Makes what exchanges are found by besides their words: identifiers, topics. Used by one thread.
class TermExtractor {
 public:
  virtual ~TermExtractor() = default;
  // Grows when the same exchange gives other terms than before: all are made again.
  virtual int version() const = 0;
  // Errors: of the store, if it looks into it.
  virtual Result<ExchangeTerms> extract(const PendingExchange& exchange) = 0;
};

// Called on the thread that uses what it makes.
using MakeTermExtractor = std::function<std::unique_ptr<TermExtractor>(const std::filesystem::path& database)>;

}  // namespace memd
