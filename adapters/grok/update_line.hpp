#pragma once

#include "adapters/grok/update_log.hpp"
#include "schemas/time.hpp"

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::grok {

// What tells where a line of the log belongs.
struct UpdateLine {
  std::string kind;  // "sessionUpdate"
  std::string call_id;
  std::string status;
  std::string prompt_id;
  std::optional<std::int64_t> prompt_index;
  bool host_turn = false;     // made by the client
  bool interjection = false;  // said while the agent worked
};

// Reads one line of updates.jsonl. Owns its parser; one thread at a time. Private to this folder's .cpp files.
class UpdateLineReader {
 public:
  // `line` is followed by padding. False when it is no update.
  bool read(std::string_view line, UpdateLine& out);
  // The objects of a line; valid until the next call. The params are the line itself in old logs.
  bool open(std::string_view line, simdjson::dom::object& envelope, simdjson::dom::object& params,
            simdjson::dom::object& update);

 private:
  simdjson::dom::parser parser_;
  std::string mended_;
};

// What the items of a session have in common.
struct SessionFacts {
  std::string id;
  std::string cwd;
  bool subagent = false;
};

// The bytes of an item, made from the lines it consists of.
std::string item_bytes(const LogItem& item, const SessionFacts& session, const std::vector<std::string>& lines);

bool is_json_object(std::string_view text);

// When the session of a summary.json started; 0 when it does not say.
TimeMs summary_time(std::string_view summary);
bool is_subagent(std::string_view summary);

}  // namespace memd::grok
