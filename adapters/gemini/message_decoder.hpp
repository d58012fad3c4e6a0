#pragma once

#include "adapters/adapter.hpp"
#include "adapters/json/json_access.hpp"
#include "adapters/json/json_text.hpp"
#include "adapters/json/log_decoder.hpp"
#include "adapters/json/record_builder.hpp"
#include "schemas/event_batch.hpp"

#include <string>
#include <string_view>

namespace memd::gemini {

using namespace json;  // NOLINT(google-build-using-namespace): the whole folder reads JSON

using MessageContext = RecordBuilder;

MEMD_KEYS(MessageKeys, id, timestamp, type, model, damaged, compaction, acknowledges, repeats, untold, message,
          sessionId, cwd);

// Decodes the items of a ChatReader, the head (item 0) and the messages, and those of a PromptLogReader. One thread at
// a time.
class MessageDecoder final : public KeyedDecoder<MessageKeys> {
 public:
  MessageDecoder(const Source& source, Detail detail);

 protected:
  RecordOutcome read(od::object& root, RawRef raw, EventBatch& out) override;

 private:
  RecordOutcome read_head(MessageContext& context, od::object& head) const;
  RecordOutcome read_message(MessageContext& context, od::object& message);
  RecordOutcome read_log_entry(MessageContext& context);
  RecordOutcome read_user(MessageContext& context, od::object& message, std::string_view untold) const;

  std::string parent_uid_;
};

}  // namespace memd::gemini
