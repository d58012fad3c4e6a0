#include "test/adapters/cursor_home.hpp"

#include "test/adapters/written_database.hpp"

#include <chrono>
#include <filesystem>

namespace memd::test {
namespace {

namespace fs = std::filesystem;

std::string unhex(std::string_view digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes.push_back(static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16)));
  return bytes;
}

std::string hex(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    out.push_back(digits[static_cast<unsigned char>(c) >> 4]);
    out.push_back(digits[static_cast<unsigned char>(c) & 15]);
  }
  return out;
}

// Returns field 1 of a protobuf message, with one 32-byte value for each id.
std::string children(const boost::json::array& ids) {
  std::string out;
  for (const auto& id : ids)
    out.append("\x0a\x20").append(unhex(id.as_string()));
  return out;
}

struct Bound {
  std::string bytes;
  bool is_blob = false;
  bool is_null = false;
};
Bound bound(const boost::json::value& value) {
  if (value.is_null()) return {{}, false, true};
  if (value.is_string()) return {std::string(value.as_string()), false, false};
  if (const auto* object = value.if_object()) {
    if (const auto* digits = object->if_contains("$hex")) return {unhex(digits->as_string()), true, false};
    if (const auto* inner = object->if_contains("$hex_json"))
      return {hex(boost::json::serialize(*inner)), false, false};
    if (const auto* ids = object->if_contains("$children")) return {children(ids->as_array()), true, false};
  }
  return {boost::json::serialize(value), false, false};
}

void bind(sqlite3_stmt* statement, int parameter, const Bound& value) {
  const int size = static_cast<int>(value.bytes.size());
  if (value.is_null)
    sqlite3_bind_null(statement, parameter);
  else if (value.is_blob)
    sqlite3_bind_blob(statement, parameter, value.bytes.data(), size, SQLITE_TRANSIENT);
  else
    sqlite3_bind_text(statement, parameter, value.bytes.data(), size, SQLITE_TRANSIENT);
}

void insert(WrittenDatabase& database, std::string_view table, std::string_view columns,
            const std::vector<Bound>& row) {
  std::string sql = "INSERT INTO " + std::string(table) + " (" + std::string(columns) + ") VALUES (";
  for (std::size_t i = 0; i < row.size(); ++i)
    sql += i == 0 ? "?" : ", ?";
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(database.handle(), (sql + ")").c_str(), -1, &statement, nullptr) != SQLITE_OK)
    throw std::runtime_error(sqlite3_errmsg(database.handle()));
  for (std::size_t i = 0; i < row.size(); ++i)
    bind(statement, static_cast<int>(i + 1), row[i]);
  sqlite3_step(statement);
  if (sqlite3_finalize(statement) != SQLITE_OK) throw std::runtime_error(sqlite3_errmsg(database.handle()));
}

void fill(WrittenDatabase& database, const std::string& table, const boost::json::value& rows) {
  if (const auto* list = rows.if_array()) {
    std::string columns;
    for (const auto& [column, value] : list->at(0).as_object())
      columns.append(columns.empty() ? "" : ", ").append(column);
    database.run("CREATE TABLE " + table + " (" + columns + ")");
    for (const auto& row : *list) {
      std::vector<Bound> values;
      for (const auto& [column, value] : row.as_object())
        values.push_back(bound(value));
      insert(database, table, columns, values);
    }
    return;
  }
  const bool blobs = table == "blobs";
  database.run("CREATE TABLE " + table +
               (blobs             ? " (id TEXT PRIMARY KEY, data BLOB)"
                : table == "meta" ? " (key TEXT PRIMARY KEY, value TEXT)"
                                  : " (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)"));
  for (const auto& [key, value] : rows.as_object())
    insert(database, table, blobs ? "id, data" : "key, value", {bound(boost::json::value(key)), bound(value)});
}

}  // namespace

CursorHome::CursorHome(const boost::json::value& description) {
  const auto& all = description.as_object();
  std::vector<fs::path> written;
  if (const auto* files = all.if_contains("files"))
    for (const auto& [name, content] : files->as_object()) {
      written.push_back(folder_.path() / std::string_view(name));
      write_file(written.back(),
                 content.is_string() ? std::string(content.as_string()) : boost::json::serialize(content));
    }
  if (const auto* databases = all.if_contains("databases"))
    for (const auto& [name, tables] : databases->as_object()) {
      written.push_back(folder_.path() / std::string_view(name));
      fs::create_directories(written.back().parent_path());
      WrittenDatabase database(written.back().string());
      database.run("PRAGMA synchronous = OFF; BEGIN");
      for (const auto& [table, rows] : tables.as_object())
        fill(database, table, rows);
      database.run("COMMIT");
    }
  if (const auto* at = all.if_contains("written"))
    for (const auto& file : written) {
      const auto since = std::chrono::milliseconds(at->as_int64());
      fs::last_write_time(file,
                          std::chrono::file_clock::from_sys(std::chrono::sys_time<std::chrono::milliseconds>(since)));
    }
}

void CursorHome::put(const std::string& database, std::string_view table, std::string_view key,
                     const boost::json::value& value) {
  WrittenDatabase open(database);
  insert(open, table, "key, value", {bound(boost::json::value(key)), bound(value)});
}

}  // namespace memd::test
