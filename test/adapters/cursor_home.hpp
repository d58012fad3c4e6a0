#pragma once

#include "test/support/temp_dir.hpp"

#include <boost/json.hpp>

#include <filesystem>
#include <string>

namespace memd::test {

// A temporary home with Cursor's folders, built from a description:
//   {"files": {path: text or JSON}, "databases": {path: {table: {key: value}}}, "written": ms, "source": path}
// A value of a table is null, a number, text, JSON (written as text), {"$hex": digits} for a blob, {"$hex_json": …} for
// JSON written as hexadecimal text, or {"$children": [ids]} for a list of messages in protobuf. A table given as a list
// contains rows by column name. Paths are relative to the home.
class CursorHome {
 public:
  explicit CursorHome(const boost::json::value& description);

  std::string path(std::string_view relative) const { return (folder_.path() / relative).string(); }
  const std::filesystem::path& root() const { return folder_.path(); }

  // Writes one row as VS Code does; `value` as above.
  static void put(const std::string& database, std::string_view table, std::string_view key,
                  const boost::json::value& value);

 private:
  TempDir folder_;
};

}  // namespace memd::test
