#pragma once

#include "adapters/json/json_access.hpp"
#include "adapters/json/json_text.hpp"
#include "adapters/json/log_decoder.hpp"
#include "adapters/json/record_builder.hpp"
#include "schemas/event_batch.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace memd::codex {

using namespace json;  // NOLINT(google-build-using-namespace): the whole folder reads JSON

// The context of one item of a rollout.
struct Line {
  std::string_view session_uid;
  std::string_view type;       // type of the line; "response_item" for the bare items of the oldest files
  std::string_view timestamp;  // as written in the file, without quotes; empty in the oldest files
  RawRef raw;
  bool is_compaction_output = false;  // the model's answer to the request for a compaction's summary
};

// Creates the events of one record; call one of identify_… before an event is added.
//
// Ids: a record with a platform id (messages, calls) is one event in all copies, wherever the copy is stored. The
// record that repeats it (Event::is_echo) gives an event with the same id. Where a build identifies the turn but not
// the message, turn and text identify the event. All other records are identified by text, session and time:
// Event::id_is_local is set, and the store finds copies in forks by their text.
class RecordContext : public RecordBuilder {
 public:
  RecordContext(const Line& line, Detail detail, EventBatch& out);

  void identify_by(std::string_view kind, std::string_view native_id, std::uint64_t content);
  void identify_by_turn(std::string_view kind, std::string_view turn_id, std::uint64_t content);
  void identify_locally(std::string_view kind, std::uint64_t content);
  void identify_in_session(std::string_view kind, std::uint64_t content);  // independent of time: repeats are one event

  const Line& line() const { return line_; }

 private:
  void set_key(std::uint64_t key, bool local);
  Event& add_as(std::uint32_t index, EventKind kind, Role role, std::size_t of_block) override;

  const Line& line_;
  std::uint64_t content_ = 0;
};

// Identifies an item of a turn, whether a response item or its repetition: by its id, or, where other model servers
// gave it a short one, by id, turn and content. Returns false if neither is possible; it is then identified locally.
bool identify_item(RecordContext& context, std::string_view kind, std::string_view native_id, std::string_view turn_id,
                   std::uint64_t content);

// Appends a part of a text, on a line of its own. Records that repeat one another all join their parts in this way,
// because the text identifies a message that has no id.
void append_line(std::string& text, std::string_view part);

// One function for each kind of record. `item` is the record's payload, read from its first field.

// The scalar fields of payloads, as raw tokens. The fields present depend on the payload's type.
MEMD_KEYS(Payload, type, id, role, call_id, name, namespace_, arguments, input, status, encrypted_content, message,
          turn_id, reason, duration_ms, model, cwd, num_turns, author, recipient, thread_name, new_thread_id, info,
          null);

RecordOutcome read_response_item(RecordContext& context, od::object& item, const Payload& payload);
RecordOutcome read_tool_item(RecordContext& context, od::object& item, const Payload& payload);
RecordOutcome read_event_msg(RecordContext& context, od::object& item, const Payload& payload);
RecordOutcome read_completed_item(RecordContext& context, od::object& payload, const Payload& fields);
// nullopt: the type is not the end of an action.
std::optional<RecordOutcome> read_action_end(RecordContext& context, od::object& payload, std::string_view type);
// Reads a user's message from a record that repeats it.
RecordOutcome read_prompt_echo(RecordContext& context, std::string_view text, std::string_view turn_id);
RecordOutcome read_token_count(RecordContext& context, od::object& item);
RecordOutcome read_token_usage(RecordContext& context, od::object& item);
RecordOutcome read_session_meta(RecordContext& context, od::object& item);
RecordOutcome read_turn_context(RecordContext& context, od::object& item, const Payload& payload);
RecordOutcome read_compacted(RecordContext& context, od::object& item, const Payload& payload);
RecordOutcome read_agent_message(RecordContext& context, od::object& item, const Payload& payload);

// The kinds of text in a "user" message. Codex also sends its own instructions under this role.

enum class UserTextKind : std::uint8_t {
  human,     // a prompt
  shell,     // a "!" command and its output
  injected,  // inserted by the client
  image,     // the brackets around a pasted image
  nothing,   // blank without the wrappers
};

struct UserText {
  UserTextKind kind = UserTextKind::nothing;
  std::string_view text;    // trimmed, without the IDE's wrapper; for a shell command, the command
  std::string_view output;  // output of a shell command
};

// Detects the kind of a text by its markers. The result refers to `text`.
UserText classify_user_text(std::string_view text);

// Returns the shell commands in a code mode script: the string after each "cmd:" of `tools.exec_command({cmd: "…"})`.
// Commands composed at run time are not found.
std::vector<std::string> script_commands(std::string_view script);

}  // namespace memd::codex
