#pragma once

#include "adapters/json/json_access.hpp"
#include "adapters/json/json_text.hpp"
#include "adapters/json/log_decoder.hpp"
#include "adapters/json/record_events.hpp"
#include "schemas/event_batch.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace memd::codex {

using namespace json;  // NOLINT(google-build-using-namespace): the whole folder reads JSON

// What stands around one item of a rollout.
struct Line {
  std::string_view session_uid;
  std::string_view type;       // of the line; "response_item" for the bare items of the oldest files
  std::string_view timestamp;  // as it stands in the file, without quotes; empty in the oldest files
  RawRef raw;
};

// Makes the events of one record with the fields and the ids they share. Refers to the record's bytes and does not
// outlive them. One thread at a time.
//
// Ids: what the platform names (messages, calls) is one event in every copy, wherever the copy stands. Where a build
// names the turn but not the message, a turn and a text are one event. All else is known only as "this text, in this
// session, at this time": Event::id_is_local is set, and the store finds copies in forks by their text.
class RecordContext : public RecordEvents {
 public:
  RecordContext(const Line& line, Detail detail, EventBatch& out);

  void identify_by(std::string_view kind, std::string_view native_id, std::uint64_t content);
  void identify_by_turn(std::string_view kind, std::string_view turn_id, std::uint64_t content);
  void identify_locally(std::string_view kind, std::uint64_t content);
  void identify_in_session(std::string_view kind, std::uint64_t content);  // whatever the time: repeats are one event

  // A new event with the shared fields filled. Valid until the next call. One of identify_… comes first.
  Event& add(EventKind kind, Role role, std::size_t block = 0);
  Event& add_lifecycle(std::string_view name, std::string_view summary = {});
  SessionUpdate& update(std::string_view session_uid);

  const Line& line() const { return line_; }
  TimeMs time() const { return time_; }

 private:
  const Line& line_;
  TimeMs time_ = 0;
  std::uint64_t key_ = 0;
  std::uint64_t content_ = 0;
  bool local_ = true;
  std::uint32_t index_ = 0;
};

// One function for each kind of record. `item` is the record's payload, to be walked from its first field.

// The scalars of payloads, as raw tokens. Which of them a payload has depends on its type.
enum class Key : std::uint8_t {
  type,
  id,
  role,
  call_id,
  name,
  namespace_,
  arguments,
  input,
  output,
  status,
  phase,
  summary,
  encrypted_content,
  message,
  turn_id,
  reason,
  duration_ms,
  model,
  cwd,
  text,
  action,
  success,
  num_turns,
  author,
  recipient,
  content,
  trigger_turn,
  thread_name,
  new_thread_id,
  query,
  info,
};
inline constexpr std::array<std::string_view, 31> kKeyNames{"type",
                                                            "id",
                                                            "role",
                                                            "call_id",
                                                            "name",
                                                            "namespace",
                                                            "arguments",
                                                            "input",
                                                            "output",
                                                            "status",
                                                            "phase",
                                                            "summary",
                                                            "encrypted_content",
                                                            "message",
                                                            "turn_id",
                                                            "reason",
                                                            "duration_ms",
                                                            "model",
                                                            "cwd",
                                                            "text",
                                                            "action",
                                                            "success",
                                                            "num_turns",
                                                            "author",
                                                            "recipient",
                                                            "content",
                                                            "trigger_turn",
                                                            "thread_name",
                                                            "new_thread_id",
                                                            "query",
                                                            "info"};

struct Payload {
  Tokens<kKeyNames.size()> tokens{};
  std::string_view operator[](Key key) const { return tokens[static_cast<std::size_t>(key)]; }
  std::string_view body(Key key) const { return string_body((*this)[key]); }
  bool has(Key key) const { return !(*this)[key].empty() && (*this)[key] != "null"; }
};

Fate read_response_item(RecordContext& context, od::object& item, const Payload& payload);
Fate read_tool_item(RecordContext& context, od::object& item, const Payload& payload);
Fate read_event_msg(RecordContext& context, od::object& item, const Payload& payload);
Fate read_token_count(RecordContext& context, od::object& item);
Fate read_session_meta(RecordContext& context, od::object& item);
Fate read_turn_context(RecordContext& context, od::object& item, const Payload& payload);
Fate read_compacted(RecordContext& context, od::object& item, const Payload& payload);
Fate read_agent_message(RecordContext& context, od::object& item, const Payload& payload);

// Whose words the text of a "user" message is. Codex also tells the model its own instructions under that name.

enum class Voice : std::uint8_t {
  human,     // a prompt
  shell,     // a "!" command and what it printed
  injected,  // put there by the client
  image,     // the brackets around a pasted image
  nothing,   // blank once the wrappers are off
};

struct Spoken {
  Voice voice = Voice::nothing;
  std::string_view text;    // trimmed, the wrapper of the IDE taken off; of a shell command the command
  std::string_view output;  // of a shell command
};

// Views into `text`.
Spoken who_speaks(std::string_view text);

// The shell commands in a script of code mode: the string behind each "cmd:" of `tools.exec_command({cmd: "…"})`.
// Commands put together at run time are not found.
std::vector<std::string> script_commands(std::string_view script);

}  // namespace memd::codex
