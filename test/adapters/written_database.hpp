#pragma once

#include <sqlite3.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace memd::test {

// A database open for writing, as an agent has it. The destructor checkpoints and closes it.
class WrittenDatabase {
 public:
  explicit WrittenDatabase(const std::string& path, int timeout_ms = 2000) {
    check(sqlite3_open(path.c_str(), &database_));
    sqlite3_busy_timeout(database_, timeout_ms);
  }
  ~WrittenDatabase() { sqlite3_close_v2(database_); }
  WrittenDatabase(const WrittenDatabase&) = delete;
  WrittenDatabase& operator=(const WrittenDatabase&) = delete;

  void run(const std::string& sql) { check(sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr)); }

  // Inserts a row of a key/value table as VS Code does.
  void put(std::string_view table, std::string_view key, std::string_view value) {
    sqlite3_stmt* statement = nullptr;
    const std::string sql = "INSERT INTO " + std::string(table) + " (key, value) VALUES (?1, ?2)";
    check(sqlite3_prepare_v2(database_, sql.c_str(), -1, &statement, nullptr));
    sqlite3_bind_text(statement, 1, key.data(), static_cast<int>(key.size()), SQLITE_STATIC);
    sqlite3_bind_blob(statement, 2, value.data(), static_cast<int>(value.size()), SQLITE_STATIC);
    const int code = sqlite3_step(statement);
    sqlite3_finalize(statement);
    if (code != SQLITE_DONE) check(code);
  }

  sqlite3* handle() const { return database_; }

 private:
  void check(int code) const {
    if (code != SQLITE_OK) throw std::runtime_error(sqlite3_errmsg(database_));
  }
  sqlite3* database_ = nullptr;
};

}  // namespace memd::test
