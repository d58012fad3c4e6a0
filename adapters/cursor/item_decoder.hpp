#pragma once

#include "adapters/adapter.hpp"
#include "adapters/cursor/item_context.hpp"

#include <memory>
#include <string>

namespace memd::cursor {

// Items as adapters/cursor/item_json.hpp describes them.
class ItemDecoder : public RecordDecoder {
 public:
  explicit ItemDecoder(const Source& source, json::Detail detail = json::Detail::stored);
  ~ItemDecoder() override;

  void decode(const RawRecord& record, EventBatch& out) override;
  bool is_complete(std::string_view bytes) const override;

 private:
  Fate read(const RawRecord& record, EventBatch& out, std::string_view& type);
  bool open(std::string_view json, od::object& item) const;

  struct Parser;
  std::string session_uid_;
  json::Detail detail_;
  std::unique_ptr<Parser> parser_;
};

}  // namespace memd::cursor
