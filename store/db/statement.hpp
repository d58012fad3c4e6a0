#pragma once

#include "schemas/error.hpp"

#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace memd::sqlite {

// Thrown inside store/ by every failing call; the public functions of store/ turn it into an Error.
[[noreturn]] void throw_error(sqlite3* db, std::string_view doing);
Error make_error(sqlite3* db, int code, std::string_view doing);

// A prepared statement. Owned by Database's cache; one user at a time, one thread at a time.
// Bound strings must outlive the step that uses them.
class Statement {
 public:
  Statement(sqlite3* db, std::string_view sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // Binds all parameters, in order, after a reset.
  template <class... Args>
  Statement& bind(const Args&... args) {
    reset();
    int index = 0;
    (bind_at(++index, args), ...);
    return *this;
  }

  bool step();  // true: a row is there
  void run();   // step until done, then reset
  void reset() noexcept;
  sqlite3_stmt* handle() const { return stmt_; }

  std::int64_t int64(int column) const { return sqlite3_column_int64(stmt_, column); }
  double real(int column) const { return sqlite3_column_double(stmt_, column); }
  bool is_null(int column) const { return sqlite3_column_type(stmt_, column) == SQLITE_NULL; }
  std::string_view text(int column) const;  // valid until the next step; empty for NULL
  std::string str(int column) const { return std::string(text(column)); }
  std::string_view blob(int column) const;

  void bind_at(int index, std::nullptr_t);
  void bind_at(int index, std::int64_t value);
  void bind_at(int index, int value) { bind_at(index, static_cast<std::int64_t>(value)); }
  void bind_at(int index, bool value) { bind_at(index, static_cast<std::int64_t>(value)); }
  void bind_at(int index, std::uint32_t value) { bind_at(index, static_cast<std::int64_t>(value)); }
  void bind_at(int index, std::uint64_t value) { bind_at(index, static_cast<std::int64_t>(value)); }
  void bind_at(int index, double value);
  void bind_at(int index, std::string_view value);
  void bind_at(int index, const std::string& value) { bind_at(index, std::string_view(value)); }
  void bind_at(int index, const char* value) { bind_at(index, std::string_view(value)); }
  void bind_at(int index, std::span<const std::byte> blob) {
    bind_blob(index, {reinterpret_cast<const char*>(blob.data()), blob.size()});
  }
  void bind_blob(int index, std::string_view bytes);
  template <class T>
  void bind_at(int index, const std::optional<T>& value) {
    if (value)
      bind_at(index, *value);
    else
      bind_at(index, nullptr);
  }

 private:
  sqlite3* db_;
  sqlite3_stmt* stmt_ = nullptr;
};

}  // namespace memd::sqlite
