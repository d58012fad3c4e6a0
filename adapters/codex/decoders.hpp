#pragma once

#include "adapters/codex/record_context.hpp"
#include "adapters/json/json_text.hpp"
#include "adapters/json/log_decoder.hpp"
#include "schemas/source.hpp"

#include <string>

namespace memd::codex {

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
class RolloutDecoder : public LogDecoder {
 public:
  explicit RolloutDecoder(const Source& source, Detail detail = Detail::stored);

 protected:
  bool open(od::object& root) const override;
  RecordOutcome read(od::object& root, RawRef raw, EventBatch& out) override;
  bool surely_a_record() const override;

 private:
  RecordOutcome read_enveloped(RecordContext& context, od::object& root);
  RecordOutcome read_bare(RecordContext& context, od::object& root);
  RecordOutcome dispatch(RecordContext& context, od::object& item, const Payload& payload);

  // Newer clients mark the answer to the request for a summary: "metadata": {"compaction_output": true}.
  bool tells_compaction_output(od::object& root) const;

  enum : std::size_t { kTimestamp, kType, kPayload, kId, kRecordType, kMetadata, kOuterKeys };
  static constexpr KeyTable<kOuterKeys> kOuterTable{{"timestamp", "type", "payload", "id", "record_type", "metadata"}};

  std::string session_uid_;
  Detail detail_;
  mutable Tokens<kOuterKeys> outer_;
};

using namespace json;  // NOLINT(google-build-using-namespace): the whole folder reads JSON

// Returns the id of the event for the start of a thread's own rollout.
std::uint64_t session_start_key(std::string_view thread_id);

// Decodes session_index.jsonl: names of threads. The last line of a thread is its current name. A name without a
// rollout creates no session; it is applied with the rollout's first record. One thread at a time.
class SessionIndexDecoder : public LogDecoder {
 public:
  SessionIndexDecoder() : LogDecoder(Platform::codex) {}

 protected:
  bool open(od::object& root) const override;
  RecordOutcome read(od::object& root, RawRef raw, EventBatch& out) override;
  bool surely_a_record() const override;

 private:
  enum : std::size_t { kId, kName, kKeys };
  static constexpr KeyTable<kKeys> kTable{{"id", "thread_name"}};
  mutable Tokens<kKeys> tokens_;
};

// Decodes history.jsonl: prompts typed in the terminal, as user_msg with origin history. The store keeps those whose
// rollout is missing or ends before them. One thread at a time.
class HistoryDecoder : public LogDecoder {
 public:
  explicit HistoryDecoder(Detail detail = Detail::stored) : LogDecoder(Platform::codex), detail_(detail) {}

 protected:
  bool open(od::object& root) const override;
  RecordOutcome read(od::object& root, RawRef raw, EventBatch& out) override;
  bool surely_a_record() const override;

 private:
  enum : std::size_t { kSessionId, kTime, kText, kKeys };
  static constexpr KeyTable<kKeys> kTable{{"session_id", "ts", "text"}};
  Detail detail_;
  mutable Tokens<kKeys> tokens_;
};

}  // namespace memd::codex
