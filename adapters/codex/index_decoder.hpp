#pragma once

#include "adapters/json/log_decoder.hpp"
#include "adapters/json/text_reader.hpp"
#include "schemas/source.hpp"

namespace memd::codex {

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
