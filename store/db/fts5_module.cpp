#include "store/db/fts5_module.hpp"

#include "schemas/error.hpp"
#include "store/db/word_cutter.hpp"

#include <memory>
#include <new>

namespace memd::tokenizer {
namespace {

WordCutter* cutter_of(Fts5Tokenizer* tokenizer) { return reinterpret_cast<WordCutter*>(tokenizer); }

int create(void* api, const char**, int arguments, Fts5Tokenizer** out) {
  if (arguments > 0) return SQLITE_ERROR;
  try {
    *out = reinterpret_cast<Fts5Tokenizer*>(std::make_unique<WordCutter>(static_cast<fts5_api*>(api)).release());
    return SQLITE_OK;
  } catch (const ErrorException&) {
    return SQLITE_ERROR;
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  }
}

void destroy(Fts5Tokenizer* tokenizer) { std::unique_ptr<WordCutter>(cutter_of(tokenizer)).reset(); }

int tokenize(Fts5Tokenizer* tokenizer, void* context, int flags, const char* text, int size, WordCutter::Take take) {
  try {
    return cutter_of(tokenizer)->cut({text, static_cast<std::size_t>(size)}, (flags & FTS5_TOKENIZE_QUERY) == 0,
                                     context, take);
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  }
}

void other_scripts(sqlite3_context* context, int count, sqlite3_value** values) {
  for (int i = 0; i < count; ++i) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(values[i]));
    if (text != nullptr && has_other_scripts({text, static_cast<std::size_t>(sqlite3_value_bytes(values[i]))}))
      return sqlite3_result_int(context, 1);
  }
  sqlite3_result_int(context, 0);
}

}  // namespace

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

void register_tokenizer(sqlite3* db) {
  fts5_api* const api = fts5_of(db);
  fts5_tokenizer methods{create, destroy, tokenize};
  if (api->xCreateTokenizer(api, "memd", api, &methods, nullptr) != SQLITE_OK ||
      sqlite3_create_function_v2(db, "memd_other_scripts", -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                                 nullptr, other_scripts, nullptr, nullptr, nullptr) != SQLITE_OK)
    throw ErrorException(Error(Errc::unsupported, "this SQLite does not take the tokenizer of memd"));
}

}  // namespace memd::tokenizer
