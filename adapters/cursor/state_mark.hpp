#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::cursor {

// What is remembered of a global state database, so that the next look finds what is new without reading the rest.
// VS Code writes with INSERT … ON CONFLICT REPLACE: a row that is written gets a new, greater rowid, so all that was
// written since stands above the greatest one seen. Where that is not certain everything is looked at again: a VACUUM
// (it raises the schema version, and renumbers), another file in its place, the last row gone.
struct StateMark {
  std::string change;  // sqlite::change_mark
  std::int64_t schema_version = 0;
  std::int64_t last_rowid = 0;
  std::string last_key;            // of the row with last_rowid
  std::int64_t counted_rowid = 0;  // last_rowid when all rows were counted
  std::uint64_t size = 0;          // of all rows then
  // Conversations that changed last: a build that updates rows in place would change them again.
  std::vector<std::string> active;

  std::string to_text() const;
  static std::optional<StateMark> parse(std::string_view text);
};

}  // namespace memd::cursor
