#pragma once

#include "store/db/fts5_module.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace memd::search {

struct Token {
  std::string stem;       // as the index holds it
  std::size_t start = 0;  // bytes of the text
  std::size_t end = 0;
};

// Cuts text just as exchanges_fts does. Belongs to the connection it was made for.
class IndexTokenizer {
 public:
  explicit IndexTokenizer(sqlite3* db) : memd_(tokenizer::fts5_of(db), "memd") {}

  // Appends to `out`. Offsets count from the start of `text`.
  void tokenize(std::string_view text, std::vector<Token>& out) const { cut(text, FTS5_TOKENIZE_QUERY, out); }
  // All entries the text has in the index. Those of characters and their pairs (tokenizer/word_cutter.hpp) overlap.
  void tokenize_stored(std::string_view text, std::vector<Token>& out) const { cut(text, FTS5_TOKENIZE_DOCUMENT, out); }

 private:
  void cut(std::string_view text, int flags, std::vector<Token>& out) const {
    const auto take = [](void* p, int, const char* token, int length, int start, int end) {
      static_cast<std::vector<Token>*>(p)->push_back({std::string(token, static_cast<std::size_t>(length)),
                                                      static_cast<std::size_t>(start), static_cast<std::size_t>(end)});
      return SQLITE_OK;
    };
    memd_.tokenize(text, flags, &out, take);
  }

  tokenizer::Fts5Instance memd_;
};

}  // namespace memd::search
