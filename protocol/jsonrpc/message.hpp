#pragma once

#include <boost/json/value.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace memd::jsonrpc {

inline constexpr std::size_t kMaxMessageBytes = 10'000'000;  // client SDKs cap a message there
inline constexpr std::size_t kMaxDepth = 64;
inline constexpr std::size_t kMaxBatch = 100;

enum ErrorCode : int {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kInternalError = -32603,
};

// An id as JSON text: `7` and `"7"` stay apart, and it goes back as it came.
using Id = std::string;

struct Request {
  Id id;
  std::string method;
  boost::json::value params;  // always an object, {} when there were none
};
struct Notification {
  std::string method;
  boost::json::value params;  // always an object
};
// An answer to a request of ours.
struct Response {
  Id id;                      // empty when it could not be told
  boost::json::value result;  // null for an error
  bool is_error = false;
  std::string error;  // what the other side says of it
};
// Not a message. It is answered with this error; `id` is absent when it cannot be read.
struct Invalid {
  std::optional<Id> id;
  ErrorCode code;
  std::string message;
};

using Message = std::variant<Request, Notification, Response, Invalid>;

struct Batch {
  std::vector<Message> messages;  // 1 to kMaxBatch
};

using Incoming = std::variant<Request, Notification, Response, Invalid, Batch>;

// Parses lines. Never throws, whatever the input. One thread; one parser a connection, for it owns a scratch buffer.
class MessageParser {
 public:
  MessageParser();
  ~MessageParser();
  MessageParser(MessageParser&&) noexcept;

  Incoming parse(std::string_view line);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// An id as JSON text; empty for what is neither string nor integer.
Id id_text(const boost::json::value& v);

// The `data` of a kInternalError: whether asking again may help and can do no harm.
inline constexpr std::string_view kRetryable = R"({"retryable":true})";
inline constexpr std::string_view kNotRetryable = R"({"retryable":false})";

// Write a message on one line, without the newline. `result`, `data` and `params` are JSON text. An absent id is
// written as null, as JSON-RPC wants it when the id of the request cannot be read.
std::string result_line(std::string_view id, std::string_view result);
std::string error_line(const std::optional<Id>& id, int code, std::string_view message, std::string_view data = {});
std::string request_line(std::string_view id, std::string_view method, std::string_view params);
std::string notification_line(std::string_view method, std::string_view params);

// Replaces what is no Unicode in the strings of a message by U+FFFD: bytes that are no UTF-8, and halves of surrogate
// pairs ("\ud83d"), which JavaScript writes when it cuts a text inside an emoji. nullopt: the message is sound.
std::optional<std::string> mended_text(std::string_view json);

// The outside of a message: what one needs to know to pass messages on.
struct Envelope {
  enum class Kind { request, notification, response };
  Kind kind{};
  std::string id;      // JSON text; empty for a notification
  std::string method;  // empty for a response
  // `requestId` of notifications/cancelled, the subscription of another notification, or the `uri` of a request.
  std::string about_id;  // JSON text, or empty
  std::string tool;      // that a tools/call calls
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
