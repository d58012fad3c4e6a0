#pragma once

#include "store/db/database.hpp"

#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

// SQLite's full-text module: its tokenizers, and the words of its tables.
namespace memd::tokenizer {

// The FTS5 module of a connection. Throws ErrorException when this SQLite was built without it.
fts5_api* fts5_of(sqlite3* db);

// A tokenizer of FTS5, by name. Belongs to the connection it was made for. One thread.
class Fts5Instance {
 public:
  // `name` and `arguments` as behind `tokenize =` in SQL. Throws ErrorException if there is no such tokenizer.
  Fts5Instance(fts5_api* api, const char* name, std::vector<const char*> arguments = {});
  ~Fts5Instance();
  Fts5Instance(const Fts5Instance&) = delete;
  Fts5Instance& operator=(const Fts5Instance&) = delete;

  // `flags`: FTS5_TOKENIZE_…; `take` gets (context, FTS5_TOKEN_… flags, token, its bytes, start, end).
  using Take = int (*)(void*, int, const char*, int, int, int);
  int tokenize(std::string_view text, int flags, void* context, Take take) const {
    return methods_.xTokenize(instance_, context, flags, text.data(), static_cast<int>(text.size()), take);
  }

 private:
  fts5_tokenizer methods_{};
  Fts5Tokenizer* instance_ = nullptr;
};

// Makes the tokenizer `memd` of FTS5 (word_cutter.hpp) known to a connection, and the SQL function
// memd_other_scripts(text, …): whether one of the texts has letters that unicode61 reads otherwise. A connection
// without it cannot MATCH or write the full-text tables. Throws ErrorException when this SQLite has no FTS5.
void register_tokenizer(sqlite3* db);

}  // namespace memd::tokenizer

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
  // All entries the text has in the index. Those of characters and their pairs (word_cutter.hpp) overlap.
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
