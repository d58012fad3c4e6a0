#pragma once

#include "adapters/codex/record_handlers.hpp"
#include "adapters/json/json_text.hpp"
#include "adapters/json/log_decoder.hpp"
#include "schemas/source.hpp"

#include <string>

namespace memd::codex {

// Decodes the records of one rollout, of any age. What the facts mean to whoever assembles them:
// * Talk and tools come from response items; events that show the same again are skipped by name.
// * Usage stands on a lifecycle event "usage", once for each total the session reached; its figures are those of the
//   last request. Input is without what came from the cache.
// * Model and directory stand on lifecycle events ("session_start", "turn_context") before the records they hold for.
// * A call that carries a patch names its files with the lines the patch adds and removes; its result does not repeat
//   them. Patches made from inside a script come as edit events.
// * The task of a subagent is a user_msg like a prompt: that its session is a subagent's is known from the session.
// * Events with id_is_local have an id that holds in this session only (see RecordContext).
class RolloutDecoder : public LogDecoder {
 public:
  explicit RolloutDecoder(const Source& source, Detail detail = Detail::stored);

 protected:
  bool open(od::object& root) const override;
  Fate read(od::object& root, RawRef raw, EventBatch& out) override;
  bool surely_a_record() const override;

 private:
  Fate read_enveloped(RecordContext& context, od::object& root);
  Fate read_bare(RecordContext& context, od::object& root);
  Fate dispatch(RecordContext& context, od::object& item, const Payload& payload);

  enum : std::size_t { kTimestamp, kType, kPayload, kId, kRecordType, kOuterKeys };
  static constexpr KeyTable<kOuterKeys> kOuterTable{{"timestamp", "type", "payload", "id", "record_type"}};

  std::string session_uid_;
  Detail detail_;
  mutable Tokens<kOuterKeys> outer_;
};

using namespace json;  // NOLINT(google-build-using-namespace): the whole folder reads JSON

// The event that stands for the start of a thread's own rollout.
std::uint64_t session_start_key(std::string_view thread_id);

// session_index.jsonl: names of threads, the last line of a thread being its name. A name whose rollout is not there
// makes no session: it waits for the rollout's first record.
class SessionIndexDecoder : public LogDecoder {
 public:
  SessionIndexDecoder() : LogDecoder(Platform::codex) {}

 protected:
  bool open(od::object& root) const override;
  Fate read(od::object& root, RawRef raw, EventBatch& out) override;
  bool surely_a_record() const override;

 private:
  enum : std::size_t { kId, kName, kKeys };
  static constexpr KeyTable<kKeys> kTable{{"id", "thread_name"}};
  mutable Tokens<kKeys> tokens_;
};

// history.jsonl: prompts typed in the terminal, as user_msg with origin history. The store keeps them only where the
// rollout of their thread is not there or ends before them.
class HistoryDecoder : public LogDecoder {
 public:
  explicit HistoryDecoder(Detail detail = Detail::stored) : LogDecoder(Platform::codex), detail_(detail) {}

 protected:
  bool open(od::object& root) const override;
  Fate read(od::object& root, RawRef raw, EventBatch& out) override;
  bool surely_a_record() const override;

 private:
  enum : std::size_t { kSessionId, kTime, kText, kKeys };
  static constexpr KeyTable<kKeys> kTable{{"session_id", "ts", "text"}};
  Detail detail_;
  mutable Tokens<kKeys> tokens_;
};

}  // namespace memd::codex
