#pragma once

#include "schemas/platform.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::opencode {

// opencode, or a fork that keeps its data in the same way. `name` is that of its data directory and of its database.
struct Program {
  Platform platform{};
  std::string_view name;
};

// A source below the data directory: <name>.db, or <name>-<channel>.db, or, before 1.2, storage/ with
// session/<project>/<session>.json, message/<session>/<message>.json and part/<message>/<part>.json.
struct SourcePath {
  std::filesystem::path data;  // the data directory
  std::string path;            // the database, or the session's own file
  bool is_database = false;
  std::string session_id;  // set for a session's file
};
// Returns the source of a path. Companions of a database (-wal, -shm, -journal) give the database.
std::optional<SourcePath> parse_source_path(const Program& program, const std::filesystem::path& file);

bool is_database_name(const Program& program, std::string_view file_name);

// Shared by the readers of the database and of the file tree: the item format of sessions and messages, and their
// order.

// A row of `session`, or a session's file.
struct SessionRow {
  std::string id;
  std::string parent_id;
  std::string directory;
  std::string title;
  std::string version;
  std::string agent;
  std::string forked_from;
  std::string revert;  // JSON, or empty
  std::int64_t created = 0;
  std::int64_t additions = 0;
  std::int64_t deletions = 0;
  std::string cost;  // a number, as text
};
std::string head_json(const SessionRow& row);
std::optional<SessionRow> read_session_file(std::string_view json);  // nullopt: not a whole JSON object

// A message, or a part of one: its row, or its file.
struct StoredRecord {
  std::string id;
  std::int64_t created = 0;  // ms; 0: unknown
  std::string_view data;     // JSON, possibly damaged; MessageItem checks it
};

// Builds the item of a message, on one line:
//   {"id":…,"child":true,"created":…,"data":{…},"parts":[{"id":…,"created":…,"data":{…}},…]}   1.x
//   {"id":…,"child":true,"created":…,"type":"assistant","data":{…}}                            2.x
// "child" marks the sessions of subagents. Invalid JSON is written as "data":null.
class MessageItem {
 public:
  MessageItem(const StoredRecord& message, std::string_view type, bool is_child);
  void add_part(const StoredRecord& part);
  std::string finish() &&;

 private:
  std::string out_;
  bool has_parts_ = false;
};

// The position of a message, from its own JSON.
struct MessagePlace {
  std::string id;
  bool is_user = false;
  std::string parent_id;  // for an answer: the user message it answers
  std::int64_t created = 0;
};
MessagePlace read_place(std::string id, std::string_view data, std::int64_t created);

// Moves answers after their user message. `places` must be in order of time. An answer to a missing message stays after
// the preceding user message.
std::vector<MessagePlace> in_reading_order(std::vector<MessagePlace> places);

// The tail that the user reverted: everything from a message on, or from a part of it on. Ids ascend with time.
struct RevertPoint {
  std::string message_id;  // empty: nothing is reverted
  std::string part_id;
  bool hides_message(std::string_view id) const {
    return !message_id.empty() && (id > message_id || (id == message_id && part_id.empty()));
  }
  bool hides_part(std::string_view message, std::string_view part) const {
    return !part_id.empty() && message == message_id && part >= part_id;
  }
};
RevertPoint read_revert(std::string_view json);

}  // namespace memd::opencode
