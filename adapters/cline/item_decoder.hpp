#pragma once

#include "adapters/adapter.hpp"
#include "adapters/json/json_text.hpp"

#include <memory>
#include <string>

namespace memd::cline {

// Decodes the items of both generations (TaskReader and SessionReader tell their shape). One thread at a time.
class ItemDecoder : public RecordDecoder {
 public:
  explicit ItemDecoder(const Source& source, json::Detail detail = json::Detail::stored);
  ~ItemDecoder() override;

  void decode(const RawRecord& record, EventBatch& out) override;
  bool is_complete(std::string_view) const override { return true; }

 private:
  struct Parsers;
  bool decode_open(std::string_view item, const RawRecord& record, EventBatch& out, std::string& type);

  std::string session_uid_;
  std::string native_id_;
  json::Detail detail_;
  std::unique_ptr<Parsers> parsers_;
};

}  // namespace memd::cline
