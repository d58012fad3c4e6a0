#pragma once

#include "adapters/adapter.hpp"
#include "adapters/json/json_text.hpp"

#include <memory>
#include <string>

namespace memd::grok {

// Decodes the items of a session, in the format described at SessionReader. One thread at a time.
class ItemDecoder : public RecordDecoder {
 public:
  explicit ItemDecoder(const Source& source, json::Detail detail = json::Detail::stored);
  ~ItemDecoder() override;

  void decode(const RawRecord& record, EventBatch& out) override;
  bool is_complete(std::string_view) const override { return true; }

 private:
  struct Parser;
  bool decode_open(std::string_view item, const RawRecord& record, EventBatch& out);

  std::string session_uid_;
  json::Detail detail_;
  std::unique_ptr<Parser> parser_;
};

}  // namespace memd::grok
