#pragma once

#include "schemas/hash.hpp"
#include "store/db/database.hpp"
#include "store/search/words/full_text_index.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace memd::search {

// How many exchanges hold a word. Counting one is linear in the answer, so common words are remembered: such a count is
// used until the store has grown by a tenth, the count of a rare word until any commit.
class TermStatistics {
 public:
  explicit TermStatistics(sqlite::Database& db);

  // Starts a query: looks at how the store has changed.
  void refresh();
  std::int64_t documents() const { return index_.documents(); }
  std::int64_t document_frequency(std::string_view stem);
  FullTextIndex& index() { return index_; }

 private:
  struct Count {
    std::int64_t frequency = 0;
    std::int64_t documents = 0;  // when it was taken
    std::int64_t version = 0;    // PRAGMA data_version when it was taken
  };
  bool usable(const Count& count) const;

  sqlite::Database& db_;
  FullTextIndex index_;
  std::int64_t version_ = 0;
  std::unordered_map<std::string, Count, TextHash, std::equal_to<>> counts_;
};

}  // namespace memd::search
