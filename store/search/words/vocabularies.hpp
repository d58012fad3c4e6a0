#pragma once

#include "schemas/base/hash.hpp"
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
// cached: of a common word until the store has grown by a tenth, of a rare word until another connection commits.
// Borrows `db`: the thread that leases the connection. Throws ErrorException.
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
    std::int64_t documents = 0;  // in the table, at the time of counting
    std::int64_t version = 0;    // PRAGMA data_version at the time of counting
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
  std::uint32_t words = 0;  // bit i: the i-th query word is a part
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

// Full-text index of the session titles. Used inside the query's transaction. Throws ErrorException. Borrows `db`: the
// thread that leases the connection.
class TitleIndex {
 public:
  explicit TitleIndex(sqlite::Database& db, const std::string& table = "session_titles") : index_(db, table) {}

  void refresh() { index_.refresh(); }
  bool holds(const TermForm& form);  // whether each word of the form occurs in some title
  // Returns session_pk → idf-weighted share, 0…1, of the query's terms in the title. Omits sessions without any.
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
  // Further documents to estimate how common a word is, for a small collection; refreshed, too. Null: none.
  TermStatistics* background = nullptr;
};

}  // namespace memd::search
