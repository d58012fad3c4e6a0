#pragma once

#include "adapters/opencode/session_items.hpp"
#include "adapters/sqlite/read_only_database.hpp"
#include "schemas/error.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::opencode {

// What stands in a database. 1.x keeps messages in `message` and `part`, 2.x in `session_message`; where both are there
// the rows of 1.x were migrated under the same ids and are frozen. A session is read from one of them: from
// `session_message` if it has rows there, which also finds a session whose migration is still to come.
class StoredSessions {
 public:
  static Result<StoredSessions> open(const sqlite::ReadOnlyDatabase& database);

  bool has_parts() const { return has_parts_; }      // the tables of 1.x
  bool has_records() const { return has_records_; }  // session_message, with rows
  bool has_events() const { return has_events_; }
  const std::vector<std::string>& tables() const { return tables_; }  // of sessions: session_v2, session

  struct Found {
    SessionRow row;
    bool in_records = false;      // its messages are in session_message
    std::uint64_t row_bytes = 0;  // of the values in the row
  };
  Result<std::optional<Found>> find(std::string_view session_id) const;

  const sqlite::ReadOnlyDatabase& database() const { return *database_; }

 private:
  explicit StoredSessions(const sqlite::ReadOnlyDatabase& database) : database_(&database) {}
  Result<std::string> select_row(const std::string& table) const;

  const sqlite::ReadOnlyDatabase* database_;
  std::vector<std::string> tables_;
  std::vector<std::string> selects_;  // one for each table
  bool has_parts_ = false;
  bool has_records_ = false;
  bool has_events_ = false;
};

}  // namespace memd::opencode
