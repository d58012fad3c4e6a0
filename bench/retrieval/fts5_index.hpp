#pragma once

#include "bench/retrieval/question.hpp"
#include "store/db/database.hpp"

#include <vector>

namespace memd::bench {

// The anchor: SQLite FTS5 with the porter stemmer over the same texts, one row an exchange, stop words dropped, the
// remaining words joined by OR, bm25() as it comes.
class Fts5Index {
 public:
  explicit Fts5Index(const std::vector<Document>& documents);
  RankedList search(const std::string& question, std::size_t limit);

 private:
  const std::vector<Document>& documents_;
  sqlite::Database db_;
};

// Lower case words of ASCII letters and digits (other bytes count as letters) without stop words, in order, each once;
// with them when nothing else is left.
std::vector<std::string> content_words(const std::string& text);

}  // namespace memd::bench
