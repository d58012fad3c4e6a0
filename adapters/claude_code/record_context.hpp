#pragma once

#include "adapters/adapter.hpp"
#include "adapters/json/json_access.hpp"
#include "adapters/json/json_text.hpp"
#include "adapters/json/record_builder.hpp"
#include "adapters/json/stamp_token.hpp"
#include "schemas/base/timestamp.hpp"
#include "schemas/event_batch.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace memd::claude_code {

using namespace json;  // NOLINT(google-build-using-namespace): the whole folder reads JSON

// The top-level keys that this adapter reads. Those before parentUuid are the identity of records without a uuid.
MEMD_KEYS(EnvelopeKeys, type, uuid, timestamp, sessionId, cwd, version, gitBranch, isSidechain, agentId, requestId,
          isMeta, isCompactSummary, isVisibleInTranscriptOnly, isApiErrorMessage, promptSource, planContent, subtype,
          content, operation, summary, leafUuid, aiTitle, customTitle, prNumber, prUrl, prRepository, permissionMode,
          mode, messageId, parentToolUseID, durationMs, preventedContinuation, stopReason, retryAttempt, maxRetries,
          agentName, message, data, attachment, toolUseResult, compactMetadata, microcompactMetadata, result, key,
          agentType, description, toolUseId, name, parentUuid, logicalParentUuid, renderedRole, forkedFrom, requestRef);

// The top-level fields of one record as raw tokens (json_text.hpp). Refers to the record's bytes.
struct Envelope : EnvelopeKeys {
  TimeMs time() const { return parse_stamp(stamp_body(timestamp)).value_or(0); }
};

// Creates the events of one record, or of the message inside one. `is_sidechain`: the text of "user" records was
// written by the parent agent.
class RecordContext : public RecordBuilder {
 public:
  // `session_uid`: the session the events belong to. `raw.block` is set per event.
  RecordContext(Platform platform, const Envelope& envelope, std::string_view session_uid, RawRef raw, Detail detail,
                EventBatch& out);

  // Returns the uid of an agent's session, derived from the current main session.
  std::string agent_uid(std::string_view agent_id) const;
  // Records that the call `call_id` started the subagent `agent_id`.
  void link_agent(std::string_view agent_id, std::string_view call_id);
  // The record is a copy of `record`: its events have the ids of that one's.
  void set_copied(std::uint64_t record) {
    copied_ = record;
    identify(record);
  }
  // Call after the record has been read. If the record is part of the chain but gave its session no event under its own
  // id, adds to the batch the record that it follows, or of which it is a copy.
  void pass_on();

  const Envelope& envelope() const { return envelope_; }

  // The events belong to the agent's own session, not to that of its parent.
  bool own_session = false;

 private:
  Event& add_as(std::uint32_t index, EventKind kind, Role role, std::size_t of_block) override;

  const Envelope& envelope_;
  std::optional<std::uint64_t> copied_;
};

// One function for each kind of record. `root` is the record's object, read from its first field; its scalars are in
// context.envelope(). For messages inside agent_progress records, `root` is the message.

RecordOutcome read_user(RecordContext& context, od::object& root);
RecordOutcome read_assistant(RecordContext& context, od::object& root);
RecordOutcome read_system(RecordContext& context, od::object& root);
RecordOutcome read_progress(RecordContext& context, od::object& root);
RecordOutcome read_attachment(RecordContext& context, od::object& root);
RecordOutcome read_queue_operation(RecordContext& context);

// Reads records that are not part of the chain: titles, links, modes, the journal of a workflow.
RecordOutcome read_side_record(RecordContext& context, od::object& root, std::string_view type);

// Return the outcome of a record that gives no event: skipped by its name if it is known to hold no words of the user
// or the model; skipped as "no_words" if nothing in it can be words, whatever its name; otherwise unknown.
// docs/skipped-records.md gives the reason for each name.
RecordOutcome leave_out_system(RecordContext& context, od::object& root, std::string_view subtype);
RecordOutcome leave_out_attachment(RecordContext& context, od::object& attachment, std::string_view type);
RecordOutcome leave_out_progress(RecordContext& context, od::object& data, std::string_view type);
RecordOutcome leave_out_side_record(RecordContext& context, od::object& root, std::string_view type);

// Sets `found` if an object can hold words of the user or the model: a string of more than one word, or any string
// under a name for text (content, message, prompt, text). Ids, paths, hashes, counts and dates are no words. Returns
// false only for broken JSON.
bool look_for_words(od::object& object, bool& found);
// Returns the outcome of a record without the message that its type promises.
RecordOutcome without_content(od::object& record);

// Reads agent-<id>.meta.json.
RecordOutcome read_agent_meta(RecordContext& context);

// Emits text typed while the agent worked, from any record that contains it. Returns false, without events, when the
// user did not write the text.
bool emit_queued(RecordContext& context, std::string_view text, std::string_view lifecycle);

// The kinds of text in a "user" record. Claude Code writes many of them under this role; the markers were derived
// from transcripts of 1.0 … 2.1.

enum class UserTextKind : std::uint8_t {
  human,           // a prompt
  command,         // a slash command, in the record's wording
  shell,           // a "!" command
  shell_output,    // output of the "!" command
  command_output,  // output of the slash command
  interrupt,       // "[Request interrupted by user…"
  injected,        // inserted by the client
  nothing,         // blank without the wrappers
};

struct UserText {
  UserTextKind kind = UserTextKind::nothing;
  std::string_view text;  // trimmed, without leading wrappers of the client; a view into the argument
};

UserText classify_user_text(std::string_view text);

// Returns what the user typed: "/review the parser" for the elements of a slash command, the line of a "!" command
// without its mark, else the text.
std::string as_typed(const UserText& text);

inline bool is_human(UserTextKind kind) {
  return kind == UserTextKind::human || kind == UserTextKind::command || kind == UserTextKind::shell;
}

// Returns the user's text within the result of a rejected tool call; empty when there is none.
std::string_view rejection_words(std::string_view result_text);

// Text and markers of a content value: a string, or blocks of text, images, documents.
struct ContentText {
  std::string text;    // text blocks joined with newlines
  std::string marker;  // of other blocks than text (json::Media)
  std::string end;     // the last lines of a text longer than `limit`
};

// Reads at most about `limit` bytes of text. Returns false only for broken JSON.
bool read_content(RecordContext& context, od::value& content, std::size_t limit, ContentText& out);

// Emits the tool_result event of one block, and the user's text if it contains a rejection. Also handles server tool
// results. Returns false only for broken JSON.
bool read_tool_result(RecordContext& context, od::object& block);

// Adds the data of a result's structured form (`toolUseResult`): lines changed, the agent that ran, the user's answers
// to questions (a decision event). Most of its bytes repeat file contents and are skipped. `result` is the index of the
// tool_result event in the batch. Returns false only for broken JSON.
bool read_structured_result(RecordContext& context, od::value& structured, std::size_t result);

}  // namespace memd::claude_code
