#pragma once

#include "adapters/adapter.hpp"
#include "adapters/json/json_access.hpp"
#include "adapters/json/json_text.hpp"
#include "adapters/json/log_decoder.hpp"
#include "adapters/json/record_events.hpp"
#include "schemas/event_batch.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace memd::gemini {

using namespace json;  // NOLINT(google-build-using-namespace): the whole folder reads JSON

// Creates the events of one message with their common fields and ids. Must not outlive the message's bytes. Borrows
// `out`; one thread at a time.
class MessageContext : public RecordEvents {
 public:
  MessageContext(std::string_view session_uid, RawRef raw, bool sidechain, Detail detail, EventBatch& out)
      : RecordEvents(Platform::gemini, session_uid, raw, detail, out), sidechain_(sidechain) {}

  // Adds an event with the common fields set. Valid until the next call.
  Event& add(EventKind kind, Role role, std::size_t block = 0);
  Event& add_lifecycle(std::string_view name, std::size_t block = 0);

  bool sidechain() const { return sidechain_; }

  std::uint64_t key = 0;
  TimeMs time = 0;
  std::string model;
  std::string cwd;

 private:
  bool sidechain_;
  std::uint32_t index_ = 0;
};

// Decodes the items of a ChatReader, the head (item 0) and the messages, and those of a PromptLogReader. One thread at
// a time.
class MessageDecoder : public RecordDecoder {
 public:
  explicit MessageDecoder(const Source& source, Detail detail = Detail::stored);

  void decode(const RawRecord& record, EventBatch& out) override;
  bool is_complete(std::string_view bytes) const override;

 private:
  void read_head(od::object& head, EventBatch& out);
  RecordOutcome read_message(MessageContext& context, od::object& message, std::string_view bytes);
  RecordOutcome read_log_entry(MessageContext& context, std::string_view session, std::string_view text,
                               std::string_view cwd);
  RecordOutcome read_user(MessageContext& context, od::object& message, std::string_view compaction,
                          std::string_view untold);
  RecordOutcome read_assistant(MessageContext& context, od::object& message, std::string_view untold);
  RecordOutcome read_notice(MessageContext& context, od::object& message, std::string_view type);

  std::string session_uid_;
  std::string parent_uid_;
  Detail detail_;
  RecordParser parser_;
};

}  // namespace memd::gemini
