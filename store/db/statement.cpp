#include "store/db/statement.hpp"

namespace memd::sqlite {
namespace {

Errc kind_of(int code) {
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return Errc::store_busy;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return Errc::store_corrupt;
    case SQLITE_INTERRUPT: return Errc::cancelled;
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN: return Errc::io;
    case SQLITE_PERM:
    case SQLITE_READONLY: return Errc::permission;
    default: return Errc::store;
  }
}

}  // namespace

Error make_error(sqlite3* db, int code, std::string_view doing) {
  std::string what(doing);
  what += ": ";
  what += db != nullptr ? sqlite3_errmsg(db) : sqlite3_errstr(code);
  const Errc kind = kind_of(code);
  if (kind == Errc::store_corrupt) what += " (the file is damaged: `memd doctor` says what to do)";
  return Error(kind, std::move(what));
}

void throw_error(sqlite3* db, std::string_view doing) {
  throw ErrorException(make_error(db, sqlite3_extended_errcode(db), doing));
}

Statement::Statement(sqlite3* db, std::string_view sql) : db_(db) {
  if (sqlite3_prepare_v3(db, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT, &stmt_, nullptr) !=
      SQLITE_OK)
    throw_error(db, "prepare " + std::string(sql));
}

Statement::~Statement() { sqlite3_finalize(stmt_); }

bool Statement::step() {
  const int rc = sqlite3_step(stmt_);
  if (rc == SQLITE_ROW) return true;
  if (rc == SQLITE_DONE) return false;
  const Error error = make_error(db_, sqlite3_extended_errcode(db_), sqlite3_sql(stmt_));
  sqlite3_reset(stmt_);
  throw ErrorException(error);
}

void Statement::run() {
  while (step()) {
  }
  reset();
}

void Statement::reset() noexcept { sqlite3_reset(stmt_); }

std::string_view Statement::text(int column) const {
  const auto* p = reinterpret_cast<const char*>(sqlite3_column_text(stmt_, column));
  if (p == nullptr) return {};
  return {p, static_cast<std::size_t>(sqlite3_column_bytes(stmt_, column))};
}

std::string_view Statement::blob(int column) const {
  const auto* p = static_cast<const char*>(sqlite3_column_blob(stmt_, column));
  if (p == nullptr) return {};
  return {p, static_cast<std::size_t>(sqlite3_column_bytes(stmt_, column))};
}

void Statement::bind_at(int index, std::nullptr_t) {
  if (sqlite3_bind_null(stmt_, index) != SQLITE_OK) throw_error(db_, "bind");
}

void Statement::bind_at(int index, std::int64_t value) {
  if (sqlite3_bind_int64(stmt_, index, value) != SQLITE_OK) throw_error(db_, "bind");
}

void Statement::bind_at(int index, double value) {
  if (sqlite3_bind_double(stmt_, index, value) != SQLITE_OK) throw_error(db_, "bind");
}

void Statement::bind_at(int index, std::string_view value) {
  // A null data pointer would bind NULL; an empty string is meant.
  const char* p = value.data() != nullptr ? value.data() : "";
  if (sqlite3_bind_text64(stmt_, index, p, value.size(), SQLITE_STATIC, SQLITE_UTF8) != SQLITE_OK)
    throw_error(db_, "bind");
}

void Statement::bind_blob(int index, std::string_view bytes) {
  const void* p = bytes.data() != nullptr ? static_cast<const void*>(bytes.data()) : "";
  if (sqlite3_bind_blob64(stmt_, index, p, bytes.size(), SQLITE_STATIC) != SQLITE_OK) throw_error(db_, "bind");
}

}  // namespace memd::sqlite
