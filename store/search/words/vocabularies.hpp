#pragma once

#include "schemas/hash.hpp"
#include "store/db/database.hpp"
#include "store/db/fts5.hpp"
#include "store/search/words/full_text_index.hpp"
#include "store/search/words/query_plan.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace memd::search {

// Document frequencies of the words of a table (exchanges or memories). Counting is linear in the result, so counts are
// cached: of a common word until the store has grown by a tenth, of a rare word until any commit.
class TermStatistics {
 public:
  explicit TermStatistics(sqlite::Database& db, const std::string& table = "exchanges_fts");

  // Starts a query: reads the current version of the store.
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

// A compound name and the query words that are parts of it.
struct KnownName {
  std::string name;         // lower case
  std::uint32_t words = 0;  // bit i: the i-th word
};

// Dictionary of the compound names in the store, by part. Throws ErrorException. Borrows `db`: the thread that
// leases the connection.
class IdentifierDictionary {
 public:
  explicit IdentifierDictionary(sqlite::Database& db) : db_(db) {}

  // Returns the names with at least one of the words (lower case, at most 32) as a part, those with most of them first.
  // Reads only some of the names when very many share a part.
  std::vector<KnownName> names_with(std::span<const std::string> words, std::size_t limit);

 private:
  sqlite::Database& db_;
};

// The words of titles. In the transaction of the question; throws ErrorException. Borrows `db`: the thread
// that leases the connection.
class TitleIndex {
 public:
  explicit TitleIndex(sqlite::Database& db, const std::string& table = "session_titles") : index_(db, table) {}

  void refresh() { index_.refresh(); }
  bool holds(const TermForm& form);  // some title, all of its words
  // session_pk → share (0…1, by idf) of the query's terms that stand in its title; sessions without any are left out.
  std::unordered_map<std::int64_t, double> shares(const QueryPlan& plan);

 private:
  FullTextIndex index_;
};

// The indexes a query is planned with. All belong to one connection and are refreshed in the query's transaction.
struct Vocabularies {
  const IndexTokenizer& tokenizer;
  TermStatistics& statistics;
  IdentifierDictionary& names;
  TitleIndex& titles;
  // Further documents that say how common a word is, of a collection too small to tell; refreshed, too. Null: none.
  TermStatistics* background = nullptr;
};

}  // namespace memd::search
