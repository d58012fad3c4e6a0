#pragma once

#include "adapters/adapter.hpp"
#include "adapters/claude_code/record_context.hpp"
#include "adapters/json/recovery.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace memd::claude_code {

// Decodes the records of one Claude Code source. One simdjson parser, reused; most bytes of a record are skipped, not
// materialised.
//
// What the facts mean to whoever assembles them:
// * Events of an `agent_progress` record belong to the agent's session "<main>/agent-<id>"; the agent's own file, where
//   there is one, repeats the same event ids.
// * Usage stands on the first event of each record, under the response's key, and grows from record to record: take
//   the largest output per key. A record that says nothing gives a lifecycle event "usage" to carry it.
// * tool_call.files says what a call meant to touch; tool_result.files what a successful edit changed, with line
// counts.
//   tool_result.tool is empty: pair by call_id.
// * A person's words inside a tool result's record are human_intervention, origin embedded: text beside the result, and
//   the reason given with a rejection ("…the user said:"), which stands in the result's own text (same raw.block).
// * Answers to the agent's questions and accepted plans are decision events beside the tool_result (same raw.block).
// * Queue: user_msg with origin queued and lifecycle "queue_enqueue" (or "queued_command", the same words as the model
//   got them) has an id made of sessionId and words, so saying it again gives the same id. Lifecycle events
//   queue_dequeue (the oldest waiting text becomes a user record), queue_remove (it was given to the agent in its turn
//   and gets no record), queue_popAll (all waiting texts went back to the input line; text says which) follow. To do:
//   drop a queued text when a later human turn of the session has the same text.
// * Inline sidechains of 1.x carry no agent id: their events stay in the main session with is_sidechain set, and their
//   tasks are user_msg, origin parent_agent, that start no exchange. In an agent's own session they do.
// * SessionUpdates may name sessions of which no event is known yet, and repeat; the one for the source itself comes
//   with the record at offset 0.
class Decoder : public RecordDecoder {
 public:
  explicit Decoder(const Source& source, Detail detail = Detail::stored);
  ~Decoder() override;

  void decode(const RawRecord& record, EventBatch& out) override;
  bool is_complete(std::string_view bytes) const override;

 private:
  struct Parsers;
  // A record found in a damaged line, before its ledger bytes are known.
  struct Found {
    std::string type;
    Verdict verdict;
  };

  // Whether `json` is one object and nothing else; fills envelope_.
  bool open_object(std::string_view json) const;
  // Decodes a record whose envelope is open. False, with `out` as before, when its inside is broken.
  bool decode_open(RawRef raw, EventBatch& out, Found& found);
  Verdict dispatch(RecordContext& context, std::string_view type);
  void recover(const RawRecord& record, EventBatch& out);
  Slice take_slice(std::string_view slice, bool nested, RawRef raw, EventBatch& out, std::vector<Found>& found);
  void introduce_session(EventBatch& out) const;
  // For a source whose head did not tell whose it is.
  std::string session_of_record() const;

  std::string source_uid_;
  std::string stem_;
  bool is_flat_agent_ = false;
  std::string parent_uid_;
  SessionKind kind_ = SessionKind::main;
  bool is_meta_ = false;
  Detail detail_;
  mutable std::unique_ptr<Parsers> parsers_;  // is_complete() parses too; one thread at a time
  mutable Envelope envelope_;
};

}  // namespace memd::claude_code
