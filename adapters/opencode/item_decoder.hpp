#pragma once

#include "adapters/adapter.hpp"
#include "adapters/opencode/item_context.hpp"

#include <string>

namespace memd::opencode {

// Decodes the items that the readers show (session_items.hpp): the head (item 0), and the messages of all generations.
class ItemDecoder : public RecordDecoder {
 public:
  explicit ItemDecoder(const Source& source, Detail detail = Detail::stored);

  void decode(const RawRecord& record, EventBatch& out) override;
  bool is_complete(std::string_view bytes) const override;

 private:
  void read_head(od::object& head, EventBatch& out);

  std::string session_uid_;
  Detail detail_;
  RecordParser parser_;
};

// A message of 1.x, with its parts.
Fate read_message(ItemContext& context, od::object& root);
// A row of session_message, of 2.x.
Fate read_record(ItemContext& context, std::string_view type, od::object& root);

}  // namespace memd::opencode
