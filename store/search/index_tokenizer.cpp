#include "store/search/index_tokenizer.hpp"

#include "store/sqlite/statement.hpp"

#include <array>

namespace memd::search {

fts5_api* fts5_of(sqlite3* db) {
  fts5_api* api = nullptr;
  sqlite3_stmt* stmt = nullptr;
  if (sqlite3_prepare_v2(db, "SELECT fts5(?1)", -1, &stmt, nullptr) == SQLITE_OK) {
    sqlite3_bind_pointer(stmt, 1, static_cast<void*>(&api), "fts5_api_ptr", nullptr);
    sqlite3_step(stmt);
  }
  sqlite3_finalize(stmt);
  if (api == nullptr || api->iVersion < 2)
    throw ErrorException(Error(Errc::unsupported, "this SQLite has no full-text search (FTS5)"));
  return api;
}

IndexTokenizer::IndexTokenizer(sqlite3* db) {
  fts5_api* api = fts5_of(db);
  void* context = nullptr;
  std::array<const char*, 3> arguments{"unicode61", "remove_diacritics", "2"};  // as in schemas/sql
  if (api->xFindTokenizer(api, "porter", &context, &methods_) != SQLITE_OK ||
      methods_.xCreate(context, arguments.data(), static_cast<int>(arguments.size()), &instance_) != SQLITE_OK)
    throw ErrorException(Error(Errc::unsupported, "this SQLite has no porter tokenizer"));
}

IndexTokenizer::~IndexTokenizer() { methods_.xDelete(instance_); }

void IndexTokenizer::tokenize(std::string_view text, std::vector<Token>& out) const {
  const auto take = [](void* p, int, const char* token, int length, int start, int end) {
    static_cast<std::vector<Token>*>(p)->push_back({std::string(token, static_cast<std::size_t>(length)),
                                                    static_cast<std::size_t>(start), static_cast<std::size_t>(end)});
    return SQLITE_OK;
  };
  methods_.xTokenize(instance_, &out, FTS5_TOKENIZE_QUERY, text.data(), static_cast<int>(text.size()), take);
}

}  // namespace memd::search
