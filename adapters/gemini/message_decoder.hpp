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

 private:
  struct Verdict {
    std::string type;
    Disposition disposition = Disposition::indexed;
    std::string_view reason;
  };
  void read_head(od::object& head, EventBatch& out);
  Verdict read_message(MessageContext& context, od::object& message, std::string_view bytes);
  Verdict read_user(MessageContext& context, od::object& message);
  Verdict read_assistant(MessageContext& context, od::object& message);
  Verdict read_notice(MessageContext& context, od::object& message, std::string_view type);

  std::string session_uid_;
  std::string parent_uid_;
  Detail detail_;
  RecordParser parser_;
};

}  // namespace memd::gemini
