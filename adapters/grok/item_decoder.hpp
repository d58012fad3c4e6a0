#pragma once

#include "adapters/json/log_decoder.hpp"

#include <simdjson.h>

namespace memd::grok {

MEMD_KEYS(ItemKeys, damaged, record, time, estimated, model, cwd);

// Decodes the items of a session, in the format described at SessionReader. One thread at a time.
class ItemDecoder final : public json::KeyedDecoder<ItemKeys> {
 public:
  ItemDecoder(const Source& source, json::Detail detail)
      : KeyedDecoder(Platform::grok, source.session_uid, detail, {.items = true}) {}

 protected:
  bool surely_a_record() const override { return false; }
  RecordOutcome read(json::od::object& item, RawRef raw, EventBatch& out) override;

 private:
  simdjson::dom::parser whole_;
};

}  // namespace memd::grok
