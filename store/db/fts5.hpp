#pragma once

#include "store/db/database.hpp"

#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

// Access to FTS5: its tokenizers, and the vocabulary of its tables.
namespace memd::tokenizer {

// Returns the FTS5 API of a connection. Throws ErrorException when this SQLite was built without FTS5.
fts5_api* fts5_of(sqlite3* db);

// An FTS5 tokenizer, created by name. Tied to the connection it was created for. One thread.
class Fts5Instance {
 public:
  // `name` and `arguments` as after `tokenize =` in SQL. Throws ErrorException if there is no such tokenizer.
  Fts5Instance(fts5_api* api, const char* name, std::vector<const char*> arguments = {});
  ~Fts5Instance();
  Fts5Instance(const Fts5Instance&) = delete;
  Fts5Instance& operator=(const Fts5Instance&) = delete;

  // `flags`: FTS5_TOKENIZE_…; `callback` receives (context, FTS5_TOKEN_… flags, token, size in bytes, start, end).
  using TokenCallback = int (*)(void*, int, const char*, int, int, int);
  int tokenize(std::string_view text, int flags, void* context, TokenCallback callback) const {
    return methods_.xTokenize(instance_, context, flags, text.data(), static_cast<int>(text.size()), callback);
  }

 private:
  fts5_tokenizer methods_{};
  Fts5Tokenizer* instance_ = nullptr;
};

// Registers the FTS5 tokenizer `memd` (fts_tokenizer.hpp) with a connection. A connection without the tokenizer cannot
// MATCH or write the full-text tables. Throws ErrorException when this SQLite has no FTS5.
void register_tokenizer(sqlite3* db);

}  // namespace memd::tokenizer

namespace memd::search {

struct Token {
  std::string stem;       // as stored in the index
  std::size_t start = 0;  // byte offsets in the text
  std::size_t end = 0;
};

// Tokenizes text exactly as exchanges_fts does. Tied to the connection it was created for. One thread.
class IndexTokenizer {
 public:
  explicit IndexTokenizer(sqlite3* db) : memd_(tokenizer::fts5_of(db), "memd") {}

  // Appends the tokens to `out`. Offsets count from the start of `text`.
  void tokenize(std::string_view text, std::vector<Token>& out) const { tokenize_with(text, FTS5_TOKENIZE_QUERY, out); }
  // Appends all index entries of the text. Entries of characters and of their pairs (fts_tokenizer.hpp) overlap.
  void tokenize_stored(std::string_view text, std::vector<Token>& out) const {
    tokenize_with(text, FTS5_TOKENIZE_DOCUMENT, out);
  }

 private:
  void tokenize_with(std::string_view text, int flags, std::vector<Token>& out) const {
    const auto callback = [](void* p, int, const char* token, int length, int start, int end) {
      static_cast<std::vector<Token>*>(p)->push_back({std::string(token, static_cast<std::size_t>(length)),
                                                      static_cast<std::size_t>(start), static_cast<std::size_t>(end)});
      return SQLITE_OK;
    };
    memd_.tokenize(text, flags, &out, callback);
  }

  tokenizer::Fts5Instance memd_;
};

// The vocabulary of an FTS5 table, read through FTS5's own interface (fts5vocab), independent of the index format.
// Connection thread only; the connection must outlive this object. All members throw ErrorException.
class FtsVocabulary {
 public:
  // Creates two temporary tables of the connection unless they exist. Must not run inside a writing statement.
  FtsVocabulary(sqlite::Database& db, const std::string& table);

  // Returns the posting list of a word in the format of one index page: see PostingCursor. Empty when no document
  // contains it.
  std::string entries(std::string_view word);
  bool contains(std::string_view word);
  std::int64_t count(std::string_view word);  // number of documents
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
