#include "store/db/fts5.hpp"

#include "schemas/base/error.hpp"
#include "store/db/fts_tokenizer.hpp"

#include <exception>
#include <memory>
#include <new>

namespace memd::tokenizer {
namespace {

FtsTokenizer* tokenizer_of(Fts5Tokenizer* tokenizer) { return reinterpret_cast<FtsTokenizer*>(tokenizer); }

int create(void* api, const char**, int arguments, Fts5Tokenizer** out) {
  if (arguments > 0) return SQLITE_ERROR;
  try {
    *out = reinterpret_cast<Fts5Tokenizer*>(std::make_unique<FtsTokenizer>(static_cast<fts5_api*>(api)).release());
    return SQLITE_OK;
  } catch (const ErrorException&) {
    return SQLITE_ERROR;
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  }
}

void destroy(Fts5Tokenizer* tokenizer) { std::unique_ptr<FtsTokenizer>(tokenizer_of(tokenizer)).reset(); }

int tokenize(Fts5Tokenizer* tokenizer, void* context, int flags, const char* text, int size,
             FtsTokenizer::TokenCallback callback) {
  try {
    return tokenizer_of(tokenizer)->tokenize({text, static_cast<std::size_t>(size)}, (flags & FTS5_TOKENIZE_QUERY) == 0,
                                             context, callback);
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  } catch (const std::exception& e) {  // the stemmer library is missing
    sqlite3_log(SQLITE_ERROR, "%s", e.what());
    return SQLITE_ERROR;
  }
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
  if (api->xCreateTokenizer(api, "memd", api, &methods, nullptr) != SQLITE_OK)
    throw ErrorException(Error(Errc::unsupported, "this SQLite does not take the tokenizer of memd"));
}

}  // namespace memd::tokenizer

namespace memd::search {
namespace {

// Appends SQLite's varint: big-endian, 7 bits per byte, all 8 bits of a ninth byte.
void append_varint(std::string& out, std::uint64_t value) {
  char bytes[9];
  std::size_t at = sizeof bytes;
  if (value >> 56 != 0) {
    bytes[--at] = static_cast<char>(value);
    value >>= 8;
    while (at > 0) {
      bytes[--at] = static_cast<char>(0x80 | (value & 0x7F));
      value >>= 7;
    }
  } else {
    bytes[--at] = static_cast<char>(value & 0x7F);
    while ((value >>= 7) != 0)
      bytes[--at] = static_cast<char>(0x80 | (value & 0x7F));
  }
  out.append(bytes + at, sizeof bytes - at);
}

// Writes the posting list of a word: the difference of document ids, twice the length of the positions, the positions.
class EntryList {
 public:
  void add(std::int64_t document, std::uint64_t column, std::uint64_t word) {
    if (document != document_ || positions_.empty()) begin(document);
    if (column != column_) {
      positions_ += '\1';
      append_varint(positions_, column);
      column_ = column;
      word_ = 0;
    }
    append_varint(positions_, word - word_ + 2);
    word_ = word;
  }
  std::string take() {
    finish();
    return std::move(out_);
  }

 private:
  void begin(std::int64_t document) {
    finish();
    append_varint(out_, static_cast<std::uint64_t>(document) - static_cast<std::uint64_t>(document_));
    document_ = document;
    column_ = 0;
    word_ = 0;
  }
  void finish() {
    if (positions_.empty()) return;
    append_varint(out_, positions_.size() * 2);
    out_ += positions_;
    positions_.clear();
  }

  std::string out_;
  std::string positions_;  // the positions in document_
  std::int64_t document_ = 0;
  std::uint64_t column_ = 0;
  std::uint64_t word_ = 0;
};

// Lets a read-only connection create temporary tables during its lifetime. The file stays read-only.
class OwnTables {
 public:
  explicit OwnTables(sqlite::Database& db) : db_(db), query_only_(db.pragma("query_only") != 0) {
    if (query_only_) db_.exec("PRAGMA query_only = OFF");
  }
  ~OwnTables() {
    if (query_only_) sqlite3_exec(db_.handle(), "PRAGMA query_only = ON", nullptr, nullptr, nullptr);
  }
  OwnTables(const OwnTables&) = delete;
  OwnTables& operator=(const OwnTables&) = delete;

 private:
  sqlite::Database& db_;
  const bool query_only_;
};

}  // namespace

FtsVocabulary::FtsVocabulary(sqlite::Database& db, const std::string& table)
    : db_(db),
      entries_sql_("SELECT doc, col, offset FROM temp." + table + "_places WHERE term = ?1"),
      contains_sql_("SELECT 1 FROM temp." + table + "_words WHERE term = ?1"),
      count_sql_("SELECT doc FROM temp." + table + "_words WHERE term = ?1"),
      documents_sql_("SELECT count(*) FROM " + table + "_docsize") {
  const OwnTables allowed(db);
  const auto create = [&](const std::string& name, const std::string& type) {
    const std::string sql =
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp." + name + " USING fts5vocab(main, " + table + ", " + type + ")";
    db_.exec(sql.c_str());
  };
  create(table + "_places", "instance");
  create(table + "_words", "row");
  auto& q = db_.query("SELECT name, cid FROM pragma_table_info(?1)", table);
  while (q.step())
    columns_.emplace(q.str(0), static_cast<std::uint64_t>(q.int64(1)));
}

std::string FtsVocabulary::entries(std::string_view word) {
  EntryList list;
  auto& q = db_.query(entries_sql_, word);
  while (q.step())
    list.add(q.int64(0), columns_.at(q.str(1)), static_cast<std::uint64_t>(q.int64(2)));
  return list.take();
}

bool FtsVocabulary::contains(std::string_view word) { return db_.query(contains_sql_, word).any(); }

std::int64_t FtsVocabulary::count(std::string_view word) { return db_.query(count_sql_, word).value_or(0); }

std::int64_t FtsVocabulary::documents() { return db_.prepare(documents_sql_).value_or(0); }

}  // namespace memd::search
