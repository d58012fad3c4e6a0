#pragma once

#include "adapters/claude_code/record_context.hpp"
#include "adapters/json/log_decoder.hpp"

#include <string>
#include <string_view>

namespace memd::claude_code {

// Decodes the records of one transcript, or of the small files beside it. One thread at a time; copies what it needs of
// its source. Properties of the events that the assembler relies on:
// * Events of an `agent_progress` record belong to the agent's session "<main>/agent-<id>". The agent's own file, if it
//   exists, repeats the same event ids.
// * Usage is set on the first event of each record, under the response's key. It grows from record to record: use the
//   largest output per key. A record without text gives a lifecycle event "usage" to carry it.
// * tool_call.files lists the files a call intends to touch. tool_result.files lists what a successful edit changed,
//   with line counts. tool_result.tool is empty: pair by call_id.
// * User text inside a tool result's record is human_intervention with origin embedded. It is either text beside the
//   result, or the reason given with a rejection ("…the user said:"), which is part of the result's text (same
//   raw.block).
// * Answers to the agent's questions and accepted plans are decision events beside the tool_result (same raw.block).
// * Text typed while the agent works is user_msg with origin queued. Its lifecycle is "queue_enqueue", or
//   "queued_command" for the same text as the model received it. Its id is derived from session and text, so repeated
//   text is one event. Later lifecycle events report its outcome: queue_dequeue (the oldest waiting text becomes a user
//   record), queue_remove (the agent received it during its turn; no record follows), queue_popAll (all waiting texts
//   returned to the input line; its text contains them).
// * Inline sidechains of 1.x have no agent id. Their events stay in the main session with is_sidechain set. Their tasks
//   are user_msg with origin parent_agent and start no exchange, unlike in an agent's own session.
// * SessionUpdates may repeat, and may refer to sessions without any event yet. The update for the source itself comes
//   with the record at offset 0.
class Decoder final : public KeyedDecoder<Envelope> {
 public:
  explicit Decoder(const Source& source, Detail detail = Detail::stored);

 protected:
  void begin_source(EventBatch& out) override;
  RecordOutcome read(od::object& root, RawRef raw, EventBatch& out) override;
  bool surely_a_record() const override;

 private:
  RecordOutcome dispatch(RecordContext& context, od::object& root, std::string_view type);
  std::string session_of_record() const;  // for a source whose head did not identify its session

  std::string stem_;
  std::string folder_;
  bool is_flat_agent_ = false;
  std::string parent_uid_;
  SessionKind kind_ = SessionKind::main;
  bool is_meta_ = false;
};

MEMD_KEYS(HistoryKeys, display, timestamp, project, sessionId);

// Decodes history.jsonl: prompts typed in the terminal, which remain when the transcript is deleted. Each prompt gives
// a user_msg with origin history; the store keeps those that are in no transcript. Lines of early versions name no
// session: they go to one for their project and day, "claude_code:history-<hash of the project>-<day>". One thread at a
// time.
class HistoryDecoder final : public KeyedDecoder<HistoryKeys> {
 public:
  explicit HistoryDecoder(Detail detail = Detail::stored) : KeyedDecoder(Platform::claude_code, {}, detail) {}

 protected:
  RecordOutcome read(od::object& root, RawRef raw, EventBatch& out) override;
  bool surely_a_record() const override;
};

}  // namespace memd::claude_code
