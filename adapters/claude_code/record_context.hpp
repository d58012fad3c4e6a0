#pragma once

#include "adapters/adapter.hpp"
#include "adapters/json/json_access.hpp"
#include "adapters/json/json_text.hpp"
#include "adapters/json/record_events.hpp"
#include "schemas/event_batch.hpp"
#include "schemas/time.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace memd::claude_code {

using namespace json;  // NOLINT(google-build-using-namespace): the whole folder reads JSON

// The top-level keys this adapter knows. Key order in the records is not fixed.
enum class Key : std::uint8_t {
  type,
  uuid,
  timestamp,
  session_id,
  cwd,
  version,
  git_branch,
  is_sidechain,
  agent_id,
  request_id,
  is_meta,
  is_compact_summary,
  is_transcript_only,
  is_api_error,
  prompt_source,
  plan_content,
  subtype,
  content,
  operation,
  summary,
  leaf_uuid,
  ai_title,
  custom_title,
  pr_number,
  pr_url,
  pr_repository,
  permission_mode,
  mode,
  message_id,
  parent_tool_use_id,
  duration_ms,
  prevented_continuation,
  stop_reason,
  retry_attempt,
  max_retries,
  agent_name,
  message,
  data,
  attachment,
  tool_use_result,
  compact_metadata,
  microcompact_metadata,
  result,
  key,
  agent_type,
  description,
  tool_use_id,
  name,
  // Keys from here on take no part in the identity of records without a uuid.
  parent_uuid,
  logical_parent_uuid,
};
inline constexpr std::size_t kIdentityKeys = static_cast<std::size_t>(Key::parent_uuid);
inline constexpr std::size_t kKeys = static_cast<std::size_t>(Key::logical_parent_uuid) + 1;

namespace detail {
struct NamedKey {
  Key key;
  std::string_view name;
};
// Puts each name at the place of its key. A key without a name does not compile.
consteval std::array<std::string_view, kKeys> names_by_key(std::initializer_list<NamedKey> keys) {
  std::array<std::string_view, kKeys> names;
  for (const NamedKey& k : keys)
    names[static_cast<std::size_t>(k.key)] = k.name;
  for (const auto name : names)
    if (name.empty()) throw "a key has no name";
  return names;
}
}  // namespace detail

inline constexpr auto kKeyNames = detail::names_by_key({
    {Key::type, "type"},
    {Key::uuid, "uuid"},
    {Key::timestamp, "timestamp"},
    {Key::session_id, "sessionId"},
    {Key::cwd, "cwd"},
    {Key::version, "version"},
    {Key::git_branch, "gitBranch"},
    {Key::is_sidechain, "isSidechain"},
    {Key::agent_id, "agentId"},
    {Key::request_id, "requestId"},
    {Key::is_meta, "isMeta"},
    {Key::is_compact_summary, "isCompactSummary"},
    {Key::is_transcript_only, "isVisibleInTranscriptOnly"},
    {Key::is_api_error, "isApiErrorMessage"},
    {Key::prompt_source, "promptSource"},
    {Key::plan_content, "planContent"},
    {Key::subtype, "subtype"},
    {Key::content, "content"},
    {Key::operation, "operation"},
    {Key::summary, "summary"},
    {Key::leaf_uuid, "leafUuid"},
    {Key::ai_title, "aiTitle"},
    {Key::custom_title, "customTitle"},
    {Key::pr_number, "prNumber"},
    {Key::pr_url, "prUrl"},
    {Key::pr_repository, "prRepository"},
    {Key::permission_mode, "permissionMode"},
    {Key::mode, "mode"},
    {Key::message_id, "messageId"},
    {Key::parent_tool_use_id, "parentToolUseID"},
    {Key::duration_ms, "durationMs"},
    {Key::prevented_continuation, "preventedContinuation"},
    {Key::stop_reason, "stopReason"},
    {Key::retry_attempt, "retryAttempt"},
    {Key::max_retries, "maxRetries"},
    {Key::agent_name, "agentName"},
    {Key::message, "message"},
    {Key::data, "data"},
    {Key::attachment, "attachment"},
    {Key::tool_use_result, "toolUseResult"},
    {Key::compact_metadata, "compactMetadata"},
    {Key::microcompact_metadata, "microcompactMetadata"},
    {Key::result, "result"},
    {Key::key, "key"},
    {Key::agent_type, "agentType"},
    {Key::description, "description"},
    {Key::tool_use_id, "toolUseId"},
    {Key::name, "name"},
    {Key::parent_uuid, "parentUuid"},
    {Key::logical_parent_uuid, "logicalParentUuid"},
});

// The outer level of one record as raw tokens (json_text.hpp). Views into the record's bytes.
struct Envelope {
  std::array<std::string_view, kKeyNames.size()> tokens;

  std::string_view operator[](Key key) const { return tokens[static_cast<std::size_t>(key)]; }
  std::string_view& operator[](Key key) { return tokens[static_cast<std::size_t>(key)]; }
  bool has(Key key) const { return !(*this)[key].empty() && (*this)[key] != "null"; }
  bool is(Key key) const { return is_true((*this)[key]); }
  std::string_view body(Key key) const { return string_body((*this)[key]); }
  TimeMs time() const { return parse_rfc3339(body(Key::timestamp)).value_or(0); }
};

// Makes the events of one record, or of the message inside one, with the fields and the ids they share. Refers to the
// record's bytes and does not outlive them. One thread at a time.
class RecordContext : public RecordEvents {
 public:
  // `session_uid`: the session the events belong to. `raw.block` is set per event.
  RecordContext(const Envelope& envelope, std::string_view session_uid, RawRef raw, Detail detail, EventBatch& out);

  // A new event with the shared fields filled. Valid until the next call.
  Event& add(EventKind kind, Role role, std::size_t block = 0);
  Event& add_lifecycle(std::string_view name, std::string_view summary = {});

  // The session of an agent of the main session at hand.
  std::string agent_uid(std::string_view agent_id) const;
  // Says that `agent_id` is a subagent that the call `call_id` started.
  void link_agent(std::string_view agent_id, std::string_view call_id);
  // To be called when the record has been read: if it gave its session no event under its own id, but is part of the
  // chain, the batch says what it follows.
  void pass_on();

  const Envelope& envelope() const { return envelope_; }
  std::uint64_t key() const { return key_; }
  void set_key(std::uint64_t key) { key_ = key; }
  TimeMs time() const { return envelope_.time(); }

  // The words of "user" records are the parent agent's.
  bool sidechain = false;
  // The events belong to a session of that agent's own, not to the one it works for.
  bool own_session = false;

 private:
  const Envelope& envelope_;
  std::uint64_t key_ = 0;
  std::optional<std::uint64_t> parent_;  // of the record, as in Event::parent_id
  std::size_t first_event_;
  std::uint32_t index_ = 0;
};

// One function for each kind of record. `root` is the record's object, to be walked from its first field; its scalars
// are in context.envelope(). For messages inside agent_progress records, `root` is the message.

Fate read_user(RecordContext& context, od::object& root);
Fate read_assistant(RecordContext& context, od::object& root);
Fate read_system(RecordContext& context, od::object& root);
Fate read_progress(RecordContext& context, od::object& root);
Fate read_attachment(RecordContext& context, od::object& root);
Fate read_queue_operation(RecordContext& context);

// Records that are not part of the chain: titles, links, modes, the journal of a workflow, and what is skipped by name.
Fate read_side_record(RecordContext& context, std::string_view type);

// agent-<id>.meta.json
Fate read_agent_meta(RecordContext& context);

// Emits words typed while the agent worked, from any record that tells of them. False when they are not a person's;
// nothing is emitted then.
bool emit_queued(RecordContext& context, std::string_view text, std::string_view lifecycle);

// Whose words the text of a "user" record is. Claude Code writes many things under that name; the marks were read off
// transcripts of 1.0 … 2.1.

enum class Voice : std::uint8_t {
  human,           // a prompt
  command,         // a slash command, as the record words it
  shell,           // a "!" command
  shell_output,    // what the "!" command printed
  command_output,  // what the slash command printed
  interrupt,       // "[Request interrupted by user…"
  injected,        // put there by the client
  nothing,         // blank once the wrappers are off
};

struct Spoken {
  Voice voice = Voice::nothing;
  std::string_view text;  // trimmed, IDE wrappers in front taken off; a view into the argument
};

Spoken who_speaks(std::string_view text);

inline bool is_human(Voice voice) { return voice == Voice::human || voice == Voice::command || voice == Voice::shell; }

// The words with which a person rejected a tool call, inside the text of its result; empty when there are none.
std::string_view rejection_words(std::string_view result_text);

// Text and markers of a content value: a string, or blocks of text, images, documents.
struct ContentText {
  std::string text;    // text blocks joined with newlines
  std::string marker;  // "[image: image/png]" for what is not text; never data
  std::string end;     // the last lines of a text that is more than `limit`
};

// Reads at most about `limit` bytes of text. False only for broken JSON.
bool read_content(RecordContext& context, od::value& content, std::size_t limit, ContentText& out);

// Appends "[image: image/png]" for an image or document block. `block` is walked from its start.
bool append_marker(RecordContext& context, od::object& block, std::string_view type, std::string& marker);

// Emits the tool_result event of one block, and the words of a person who rejected the call, if they stand in it.
// Works for server tool results too. False only for broken JSON.
bool read_tool_result(RecordContext& context, od::object& block, std::size_t index);

// Adds what the structured form of a result (`toolUseResult`) tells: lines changed, the agent that ran, what a person
// chose when asked (a decision event). Most of its bytes repeat file contents and are skipped. `result` is the index of
// the tool_result event in the batch.
bool read_structured_result(RecordContext& context, od::value& structured, std::size_t result);

}  // namespace memd::claude_code
