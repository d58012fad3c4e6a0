#pragma once

#include "adapters/codex/record_context.hpp"
#include "adapters/json/json_access.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// One function for each kind of record. `item` is the record's payload, to be walked from its first field.
namespace memd::codex {

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
