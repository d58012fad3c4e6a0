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

// A request id as JSON text: `7` and `"7"` differ, and the response repeats it unchanged.
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
// A response to a request that memd sent.
struct Response {
  Id id;                      // empty when it could not be read, and for a bad notification, which gets no answer
  boost::json::value result;  // null for an error
  bool is_error = false;
  std::string error;  // the message of the other side
};
// Input that is no message, and the error to respond with. `id` is absent when it cannot be read.
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

// Returns the id of a request of which only the first and the last bytes are known: clients write it before the method
// or after the params. nullopt: neither tells, or it is no request.
std::optional<Id> id_of_cut_request(std::string_view beginning, std::string_view end);

// Returns the id as JSON text; empty for a value that is neither string nor integer.
Id id_text(const boost::json::value& v);

// The `data` of a kInternalError: whether repeating the request may help and is harmless.
inline constexpr std::string_view kRetryable = R"({"retryable":true})";
inline constexpr std::string_view kNotRetryable = R"({"retryable":false})";

// Write a message on one line, without the newline. `result`, `data` and `params` are JSON text. An absent id is
// written as null, as JSON-RPC wants it when the id of the request cannot be read.
std::string result_line(std::string_view id, std::string_view result);
std::string error_line(const std::optional<Id>& id, int code, std::string_view message, std::string_view data = {});
std::string request_line(std::string_view id, std::string_view method, std::string_view params);
std::string notification_line(std::string_view method, std::string_view params);

// Replaces invalid Unicode in the strings of a message by U+FFFD: invalid UTF-8, and lone surrogates ("\ud83d"), which
// JavaScript writes when it cuts a text inside an emoji. Returns nullopt when nothing is invalid.
std::optional<std::string> mended_text(std::string_view json);

// The fields of a message that are needed to forward it.
struct Envelope {
  enum class Kind { request, notification, response };
  Kind kind{};
  std::string id;      // JSON text; empty for a notification
  std::string method;  // empty for a response
  // `requestId` of notifications/cancelled, the subscription of another notification, or the `uri` of a request.
  std::string about_id;  // JSON text, or empty
  std::string tool;      // name of the tool of a tools/call
};

// Reads envelopes. One thread. Owns a scratch buffer.
class EnvelopeReader {
 public:
  EnvelopeReader();
  ~EnvelopeReader();

  // Returns the envelopes of a message or a batch, without elements that are no message. Valid until the next call.
  const std::vector<Envelope>& read(std::string_view line);

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

}  // namespace memd::jsonrpc
