#pragma once

#include "adapters/opencode/stored_sessions.hpp"
#include "adapters/snapshot_reader.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace memd::opencode {

// How far a database was read, as text in the store.
struct ReadMark {
  std::string generation;         // which tables there are; another one means another database
  std::int64_t session_time = 0;  // the largest time_updated of a session
  std::int64_t message_row = 0;   // the largest rowids
  std::int64_t part_row = 0;
  std::int64_t record_row = 0;
  std::int64_t event_row = 0;
  std::uint64_t size = 0;                      // see SnapshotReader::Plan
  std::map<std::string, std::uint64_t> tails;  // of the sessions that were active last: a hash of their last messages
  std::string change;                          // sqlite::change_mark

  std::string text() const;
  static ReadMark parse(std::string_view text);  // an empty one when it cannot be understood
};

// Finds the sessions that may have changed since a mark, without a look at all rows of a large database: new rows have
// larger rowids; a session's own row is touched when a prompt comes in; 1.16 and later also log an event for each
// change; and rows that are updated in place belong to the last messages of the sessions that were active last.
class DatabaseChanges {
 public:
  explicit DatabaseChanges(const StoredSessions& stored) : stored_(stored) {}

  // Everything, with exact sizes and the ledger of all other rows.
  Result<void> read_all(SnapshotReader::Plan& plan, ReadMark& mark) const;
  // False: `since` is of another state of affairs, read everything.
  Result<bool> read_since(const ReadMark& since, SnapshotReader::Plan& plan, ReadMark& mark) const;

 private:
  struct Touched {
    std::string id;
    std::int64_t updated = 0;
  };
  Result<std::vector<Touched>> list_sessions() const;  // the oldest change first
  Result<void> read_position(ReadMark& mark, const std::vector<Touched>& sessions) const;
  Result<std::uint64_t> hash_tail(std::string_view session_id) const;
  Result<void> count_other_tables(SnapshotReader::Plan& plan) const;
  Result<void> count_superseded(SnapshotReader::Plan& plan) const;
  Result<void> count_reverted(const StoredSessions::Found& session, SnapshotReader::Plan& plan) const;

  const StoredSessions& stored_;
};

}  // namespace memd::opencode
