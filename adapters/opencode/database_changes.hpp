#pragma once

#include "adapters/opencode/session_items.hpp"
#include "adapters/snapshot_reader.hpp"
#include "adapters/sqlite/read_only_database.hpp"
#include "schemas/base/result.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::opencode {

// The sessions stored in a database. 1.x keeps messages in `message` and `part`, 2.x in `session_message`. Where both
// exist, the rows of 1.x were migrated under the same ids and no longer change. A session is read from
// `session_message` if it has rows there, and its messages of 1.x without such a row from the tables of 1.x, because
// its migration may be pending or incomplete. One thread at a time; the database must outlive it.
class StoredSessions {
 public:
  static Result<StoredSessions> open(const sqlite::ReadOnlyDatabase& database);

  bool has_parts() const { return has_parts_; }      // the tables of 1.x exist
  bool has_records() const { return has_records_; }  // session_message exists and has rows
  bool has_events() const { return has_events_; }
  const std::vector<std::string>& tables() const { return tables_; }  // session tables: session_v2, session

  struct Found {
    SessionRow row;
    bool in_records = false;      // its messages are in session_message
    std::uint64_t row_bytes = 0;  // bytes of the values in the row
  };
  Result<std::optional<Found>> find(std::string_view session_id) const;

  const sqlite::ReadOnlyDatabase& database() const { return *database_; }

 private:
  explicit StoredSessions(const sqlite::ReadOnlyDatabase& database) : database_(&database) {}
  Result<std::string> select_row(const std::string& table) const;

  const sqlite::ReadOnlyDatabase* database_;
  std::vector<std::string> tables_;
  std::vector<std::string> selects_;  // one for each of tables_
  bool has_parts_ = false;
  bool has_records_ = false;
  bool has_events_ = false;
};

// The position up to which a database was read. Stored as text.
struct ReadMark {
  std::string generation;         // the tables that exist; a different value means a different database
  std::int64_t session_time = 0;  // largest time_updated of a session
  std::int64_t message_row = 0;   // largest rowids
  std::int64_t part_row = 0;
  std::int64_t record_row = 0;
  std::int64_t event_row = 0;
  std::uint64_t size = 0;  // see SnapshotReader::Plan
  // Of the most recently active sessions: a hash of their last messages, by a hash of their id. A mark outlives what
  // the user has forgotten, so it names no session.
  std::map<std::uint64_t, std::uint64_t> tails;
  std::string change;  // sqlite::change_mark

  std::string text() const;
  static ReadMark parse(std::string_view text);  // empty when the text is invalid
};

// Finds the sessions that may have changed since a mark without reading all rows. New rows have larger rowids. A prompt
// updates the session's own row. 1.16 and later log an event for each change. Rows updated in place belong to the last
// messages of the most recently active sessions. One thread at a time; `stored` must outlive it.
class DatabaseChanges {
 public:
  explicit DatabaseChanges(const StoredSessions& stored) : stored_(stored) {}

  // Plans a full pass, with exact sizes and ledger entries for all other rows.
  Result<void> read_all(SnapshotReader::Plan& plan, ReadMark& mark) const;
  // Plans a pass over the changes. Returns false when `since` is of different tables; then call read_all().
  Result<bool> read_since(const ReadMark& since, SnapshotReader::Plan& plan, ReadMark& mark) const;

  struct Touched {
    std::string id;
    std::int64_t updated = 0;
    std::int64_t created = 0;  // 0: not stored
  };

 private:
  Result<std::vector<Touched>> list_sessions() const;  // oldest change first
  Result<void> read_position(ReadMark& mark, const std::vector<Touched>& sessions) const;
  Result<std::uint64_t> hash_tail(std::string_view session_id) const;
  Result<void> count_other_tables(SnapshotReader::Plan& plan) const;
  Result<void> count_superseded(SnapshotReader::Plan& plan) const;
  Result<void> count_reverted(const StoredSessions::Found& session, SnapshotReader::Plan& plan) const;

  const StoredSessions& stored_;
};

}  // namespace memd::opencode
