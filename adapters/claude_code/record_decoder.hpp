#pragma once

#include "adapters/claude_code/record_context.hpp"
#include "adapters/json/log_decoder.hpp"

#include <string>
#include <string_view>

namespace memd::claude_code {

// Decodes the records of one transcript, or of the small files beside it. One thread at a time; owns what it needs of
// its source. What the events mean to whoever assembles them:
// * Events of an `agent_progress` record belong to the agent's session "<main>/agent-<id>". The agent's own file, if it
//   exists, repeats the same event ids.
// * Usage stands on the first event of each record, under the response's key. It grows from record to record: take the
//   largest output per key. A record without words gives a lifecycle event "usage" to carry it.
// * tool_call.files says what a call meant to touch. tool_result.files says what a successful edit changed, with line
//   counts. tool_result.tool is empty: pair by call_id.
// * A person's words inside a tool result's record are human_intervention with origin embedded. This is text beside the
//   result, or the reason given with a rejection ("…the user said:"), which stands in the result's own text (same
//   raw.block).
// * Answers to the agent's questions and accepted plans are decision events beside the tool_result (same raw.block).
// * Words typed while the agent works are user_msg with origin queued. Their lifecycle is "queue_enqueue", or
//   "queued_command" for the same words as the model got them. Their id is made of session and words: said again, they
//   are one event. Later lifecycle events tell what became of them: queue_dequeue (the oldest waiting text becomes a
//   user record), queue_remove (the agent got it during its turn; no record follows), queue_popAll (all waiting texts
//   went back to the input line; its text says which).
// * Inline sidechains of 1.x carry no agent id. Their events stay in the main session with is_sidechain set, and their
//   tasks are user_msg, origin parent_agent, that start no exchange. In an agent's own session they do.
// * SessionUpdates may repeat, and may name sessions of which no event is known yet. The update for the source itself
//   comes with the record at offset 0.
class Decoder final : public LogDecoder {
 public:
  explicit Decoder(const Source& source, Detail detail = Detail::stored);

 protected:
  void begin_source(EventBatch& out) override;
  bool open(od::object& root) const override;
  Fate read(od::object& root, RawRef raw, EventBatch& out) override;
  bool surely_a_record() const override;

 private:
  Fate dispatch(RecordContext& context, od::object& root, std::string_view type);
  std::string session_of_record() const;  // for a source whose head did not tell whose it is

  std::string source_uid_;
  std::string stem_;
  bool is_flat_agent_ = false;
  std::string parent_uid_;
  SessionKind kind_ = SessionKind::main;
  bool is_meta_ = false;
  Detail detail_;
  mutable Envelope envelope_;  // of the record at hand
};

// Decodes history.jsonl: what was typed in the terminal, kept when the transcript is deleted. Each prompt gives a
// user_msg with origin history; the store keeps those that no transcript tells of. Lines of early versions name no
// session: theirs is that of project and day, "claude_code:history-<hash of the project>-<day>". One thread at a time.
class HistoryDecoder final : public LogDecoder {
 public:
  explicit HistoryDecoder(Detail detail = Detail::stored) : LogDecoder(Platform::claude_code), detail_(detail) {}

 protected:
  bool open(od::object& root) const override;
  Fate read(od::object& root, RawRef raw, EventBatch& out) override;
  bool surely_a_record() const override;

 private:
  enum : std::size_t { kDisplay, kTimestamp, kProject, kSessionId, kKeys };
  static constexpr KeyTable<kKeys> kTable{{"display", "timestamp", "project", "sessionId"}};
  Detail detail_;
  mutable Tokens<kKeys> tokens_;
};

}  // namespace memd::claude_code
