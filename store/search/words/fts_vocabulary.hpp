#pragma once

#include "store/db/database.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace memd::search {

// The words of an FTS5 table as FTS5's own interface gives them (fts5vocab), whatever the format of the index.
//
// One thread, that of the connection, which must outlive it. All throw ErrorException.
class FtsVocabulary {
 public:
  // Makes two tables of the connection (temp), unless they are there; outside of a statement that writes.
  FtsVocabulary(sqlite::Database& db, const std::string& table);

  // The documents that hold the word and where, as one page of the index would list them: see PostingCursor. Empty:
  // there are none.
  std::string entries(std::string_view word);
  bool contains(std::string_view word);
  std::int64_t count(std::string_view word);  // documents
  std::int64_t documents();

 private:
  sqlite::Database& db_;
  const std::string entries_sql_;
  const std::string contains_sql_;
  const std::string count_sql_;
  const std::string documents_sql_;
  std::unordered_map<std::string, std::uint64_t> columns_;  // name → number
};

}  // namespace memd::search
