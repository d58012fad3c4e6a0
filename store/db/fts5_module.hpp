#pragma once

#include <sqlite3.h>

#include <string>
#include <string_view>
#include <vector>

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
