#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace memd::search {

// The FTS5 module of a connection. Throws ErrorException when this SQLite was built without it.
fts5_api* fts5_of(sqlite3* db);

struct Token {
  std::string stem;       // as the index holds it
  std::size_t start = 0;  // bytes of the text
  std::size_t end = 0;
};

// Cuts text just as exchanges_fts does. Belongs to the connection it was made for.
class IndexTokenizer {
 public:
  explicit IndexTokenizer(sqlite3* db);
  ~IndexTokenizer();
  IndexTokenizer(const IndexTokenizer&) = delete;
  IndexTokenizer& operator=(const IndexTokenizer&) = delete;

  // Appends to `out`. Offsets count from the start of `text`.
  void tokenize(std::string_view text, std::vector<Token>& out) const;

 private:
  fts5_tokenizer methods_{};
  Fts5Tokenizer* instance_ = nullptr;
};

}  // namespace memd::search
