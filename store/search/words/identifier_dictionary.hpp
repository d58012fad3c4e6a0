#pragma once

#include "store/db/database.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace memd::search {

// A compound name and which of the words asked about are parts of it.
struct KnownName {
  std::string name;         // lower case
  std::uint32_t words = 0;  // bit i: the i-th word
};

// The compound names that occur in the store, by their parts. Throws ErrorException.
class IdentifierDictionary {
 public:
  explicit IdentifierDictionary(sqlite::Database& db) : db_(db) {}

  // Names with at least one of the words (lower case, at most 32) as a part, those with most of them first. Of a part
  // that very many names have only some are looked at.
  std::vector<KnownName> names_with(std::span<const std::string> words, std::size_t limit);

 private:
  sqlite::Database& db_;
};

}  // namespace memd::search
