#include "store/db/fts5_module.hpp"

#include "schemas/error.hpp"

namespace memd::tokenizer {

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

Fts5Instance::Fts5Instance(fts5_api* api, const char* name, std::vector<const char*> arguments) {
  void* context = nullptr;
  if (api->xFindTokenizer(api, name, &context, &methods_) != SQLITE_OK ||
      methods_.xCreate(context, arguments.data(), static_cast<int>(arguments.size()), &instance_) != SQLITE_OK)
    throw ErrorException(Error(Errc::unsupported, "this SQLite has no tokenizer " + std::string(name)));
}

Fts5Instance::~Fts5Instance() { methods_.xDelete(instance_); }

}  // namespace memd::tokenizer
