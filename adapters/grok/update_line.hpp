#pragma once

#include "adapters/grok/update_log.hpp"
#include "adapters/json/json_access.hpp"
#include "schemas/base/timestamp.hpp"

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::grok {

// The fields of a log line that determine which item it belongs to.
struct UpdateLine {
  std::string kind;  // "sessionUpdate"
  std::string call_id;
  std::string status;
  std::string prompt_id;
  std::optional<std::int64_t> prompt_index;
  std::string child_id;       // of "subagent_spawned"; prompt_id is then that of the parent
  TimeMs time = 0;            // of "subagent_spawned" and "turn_completed"
  std::string usage;          // of "turn_completed": JSON as written
  bool host_turn = false;     // made by the client
  bool interjection = false;  // written by the user while the agent worked
};

// Reads one line of updates.jsonl. Owns its parser; one thread at a time. Private to this folder's .cpp files.
class UpdateLineReader {
 public:
  // `line` must be followed by padding. Returns false when it is no update.
  bool read(std::string_view line, UpdateLine& out);
  // Parses a line into its objects, valid until the next call. In old logs the params are the line itself.
  bool open(std::string_view line, simdjson::dom::object& envelope, simdjson::dom::object& params,
            simdjson::dom::object& update);

 private:
  json::DomParser parser_;
};

// Facts common to all items of a session.
struct SessionFacts {
  std::string id;
  std::string cwd;
  bool subagent = false;
};

// Returns the bytes of an item, built from its lines. `helpers`: token usage of the helpers of a turn, as written.
std::string item_bytes(const LogItem& item, const SessionFacts& session, const std::vector<std::string>& lines,
                       const std::vector<std::string>& helpers = {});

bool is_json_object(std::string_view text);

// Returns the start of the session described by a summary.json; 0 if it states none.
TimeMs summary_time(std::string_view summary);
bool is_subagent(std::string_view summary);

}  // namespace memd::grok
