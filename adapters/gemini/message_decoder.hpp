#pragma once

#include "adapters/adapter.hpp"
#include "adapters/gemini/message_context.hpp"

#include <string>
#include <string_view>

namespace memd::gemini {

// Decodes the items of a ChatReader: the head (item 0) and the messages.
class MessageDecoder : public RecordDecoder {
 public:
  explicit MessageDecoder(const Source& source, Detail detail = Detail::stored);

  void decode(const RawRecord& record, EventBatch& out) override;
  bool is_complete(std::string_view bytes) const override;

 private:  void read_head(od::object& head, EventBatch& out);
  Fate read_message(MessageContext& context, od::object& message, std::string_view bytes);
  Fate read_user(MessageContext& context, od::object& message);
  Fate read_assistant(MessageContext& context, od::object& message);
  Fate read_notice(MessageContext& context, od::object& message, std::string_view type);

  std::string session_uid_;
  std::string parent_uid_;
  Detail detail_;
  RecordParser parser_;
};

}  // namespace memd::gemini
