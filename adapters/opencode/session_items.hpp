#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::opencode {

// Under the data directory: opencode.db, or opencode-<channel>.db, and storage/ of the versions before 1.2 with
// session/<project>/<session>.json, message/<session>/<message>.json and part/<message>/<part>.json.
struct SourcePath {
  std::filesystem::path data;  // the data directory
  std::string path;            // the database, or the session's own file
  bool is_database = false;
  std::string session_id;  // of a session's file
};
// Also for the companions of a database (-wal, -shm, -journal): they are the database.
std::optional<SourcePath> parse_source_path(const std::filesystem::path& file);

bool is_database_name(std::string_view name);

// What the readers of the database and of the file tree have in common: the form in which a session and its messages
// are shown to the decoder, and their order.

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
std::optional<SessionRow> read_session_file(std::string_view json);  // nullopt: no whole JSON object

// A message, or a part of one: its row, or its file.
struct StoredRecord {
  std::string id;
  std::int64_t created = 0;  // ms, 0 when not known
  std::string_view data;     // JSON; told apart from damage by the writer of the item
};

// Puts the item of a message together, in one line:
//   {"id":…,"child":true,"created":…,"data":{…},"parts":[{"id":…,"created":…,"data":{…}},…]}   1.x
//   {"id":…,"child":true,"created":…,"type":"assistant","data":{…}}                            2.x
// "child" marks the sessions of subagents. What is no JSON is shown as "data":null.
class MessageItem {
 public:
  MessageItem(const StoredRecord& message, std::string_view type, bool is_child);
  void add_part(const StoredRecord& part);
  std::string finish() &&;

 private:
  std::string out_;
  bool has_parts_ = false;
};

// What a message's own JSON says of its place.
struct MessagePlace {
  std::string id;
  bool is_user = false;
  std::string parent_id;  // of an assistant's: the user message it answers
  std::int64_t created = 0;
};
MessagePlace read_place(std::string id, std::string_view data, std::int64_t created);

// Puts the answers behind their user message. `places` come in order of time. An answer to a message that is not there
// stays behind the user message before it.
std::vector<MessagePlace> in_reading_order(std::vector<MessagePlace> places);

// The tail that a person took back: all from a message on, or from a part of it on. Ids ascend with time.
struct RevertPoint {
  std::string message_id;  // empty: nothing is taken back
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
