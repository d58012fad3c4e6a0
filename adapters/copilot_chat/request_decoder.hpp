#pragma once

#include "adapters/json/log_decoder.hpp"

namespace memd::copilot_chat {

using namespace json;  // NOLINT(google-build-using-namespace): the whole folder reads JSON

MEMD_KEYS(Request, sessionId, title, cwd, since, requestId, timestamp, message, modelId, isCanceled, slashCommand,
          promptTokens, completionTokens);

// Decodes the items of a chat: the head (sessionId, title, cwd, since), and a request with its response. One thread at
// a time.
class RequestDecoder final : public KeyedDecoder<Request> {
 public:
  RequestDecoder(const Source& source, Detail detail)
      : KeyedDecoder(Platform::copilot_chat, source.session_uid, detail, {.items = true}) {}

 protected:
  RecordOutcome read(od::object& root, RawRef raw, EventBatch& out) override;
};

}  // namespace memd::copilot_chat
