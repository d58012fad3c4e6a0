#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace memd::jsonrpc {

// The outside of a message, for who passes messages on without understanding them.
struct Envelope {
  enum class Kind { request, notification, response };
  Kind kind{};
  std::string id;      // JSON text; empty for a notification
  std::string method;  // empty for a response
  // What the message is about: `requestId` of notifications/cancelled, the subscription of a notification, or the `uri`
  // of a request.
  std::string about_id;  // JSON text, or empty
};

// One thread; keeps a scratch buffer.
class EnvelopeReader {
 public:
  EnvelopeReader();
  ~EnvelopeReader();

  // Of a message or a batch. What is no message is left out: garbage gives an empty list. Valid until the next call.
  const std::vector<Envelope>& read(std::string_view line);

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

}  // namespace memd::jsonrpc
