#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace memd::jsonrpc {

// The outside of a message: what one needs to know to pass messages on.
struct Envelope {
  enum class Kind { request, notification, response };
  Kind kind{};
  std::string id;      // JSON text; empty for a notification
  std::string method;  // empty for a response
  // `requestId` of notifications/cancelled, the subscription of another notification, or the `uri` of a request.
  std::string about_id;  // JSON text, or empty
};

// Reads envelopes. One thread. Owns a scratch buffer.
class EnvelopeReader {
 public:
  EnvelopeReader();
  ~EnvelopeReader();

  // The envelopes of a message or a batch; leaves out what is no message. Valid until the next call.
  const std::vector<Envelope>& read(std::string_view line);

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

}  // namespace memd::jsonrpc
