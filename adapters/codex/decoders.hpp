#pragma once

#include "adapters/codex/record_context.hpp"
#include "adapters/json/json_text.hpp"
#include "adapters/json/log_decoder.hpp"
#include "schemas/source.hpp"

namespace memd::codex {

MEMD_KEYS(OuterKeys, timestamp, type, payload, id, record_type, metadata);
MEMD_KEYS(IndexKeys, id, thread_name);
MEMD_KEYS(HistoryKeys, session_id, ts, text);

// Decodes the records of one rollout, of any version. One thread at a time. Properties of the events that the assembler
// relies on:
// * Messages and tools come from response items. Records that repeat them give echoes (Event::is_echo) with the same
//   ids: the actions of a script, and everything whose response item is missing, are known from these only.
// * Usage is set on a lifecycle event "usage", one for each response, and an echo for each total the session reached.
//   Its figures are those of the last request; input excludes cached tokens.
// * Model and directory are set on lifecycle events ("session_start", "turn_context") before the records they apply to.
// * A call with a patch lists its files with the lines the patch adds and removes. Its result does not repeat them.
//   Patches made inside a script become edit events. Commands and calls made inside a script are echoes without another
//   record.
// * The task of a subagent is a user_msg like a prompt. The session states that it is a subagent's.
// * Events with id_is_local have an id that is valid in this session only (see RecordContext).
class RolloutDecoder : public KeyedDecoder<OuterKeys> {
 public:
  explicit RolloutDecoder(const Source& source, Detail detail = Detail::stored)
      : KeyedDecoder(Platform::codex, source.session_uid, detail) {}

 protected:
  RecordOutcome read(od::object& root, RawRef raw, EventBatch& out) override;
  bool surely_a_record() const override;

 private:
  RecordOutcome read_enveloped(RecordContext& context, od::object& root);
  RecordOutcome read_bare(RecordContext& context, od::object& root);
  RecordOutcome dispatch(RecordContext& context, od::object& item, const Payload& payload);

  // Newer clients mark the answer to the request for a summary: "metadata": {"compaction_output": true}.
  bool tells_compaction_output(od::object& root) const;
};

// Returns the id of the event for the start of a thread's own rollout.
std::uint64_t session_start_key(std::string_view thread_id);

// Decodes session_index.jsonl: names of threads. The last line of a thread is its current name. A name without a
// rollout creates no session; it is applied with the rollout's first record. One thread at a time.
class SessionIndexDecoder : public KeyedDecoder<IndexKeys> {
 public:
  SessionIndexDecoder() : KeyedDecoder(Platform::codex, {}, Detail::stored) {}

 protected:
  RecordOutcome read(od::object& root, RawRef raw, EventBatch& out) override;
  bool surely_a_record() const override;
};

// Decodes history.jsonl: prompts typed in the terminal, as user_msg with origin history. The store keeps those whose
// rollout is missing or ends before them. One thread at a time.
class HistoryDecoder : public KeyedDecoder<HistoryKeys> {
 public:
  explicit HistoryDecoder(Detail detail = Detail::stored) : KeyedDecoder(Platform::codex, {}, detail) {}

 protected:
  RecordOutcome read(od::object& root, RawRef raw, EventBatch& out) override;
  bool surely_a_record() const override;
};

}  // namespace memd::codex
