#pragma once

#include "protocol/models/url.hpp"
#include "schemas/base/result.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace memd::http {

struct Request {
  Url url;
  std::vector<std::pair<std::string, std::string>> headers;  // besides Host, Content-Type and the like
  std::string body;                                          // JSON
  std::chrono::milliseconds connect_timeout{3000};           // for connecting, TLS included, after the name look-up
  std::chrono::milliseconds total_timeout{30'000};           // until the last byte has arrived
  std::size_t most_response_bytes = 16 << 20;
};

struct Response {
  int status = 0;
  std::string content_type;  // in lower case, without parameters
  std::string retry_after;
  std::string location;
  std::string body;
};

// POSTs JSON, on a new connection for each request. Connects to no other host: uses no proxy, follows no redirect.
// Checks certificates against the system's. Thread-safe. Owns one thread, which begins with the first request.
class Client {
 public:
  Client();
  ~Client();  // waits for its thread; a slow name server may delay it

  // Waits for the answer. Any answer in HTTP is a Response, whatever its status. Errors: unavailable (no connection,
  // time-out, cut off), protocol (no HTTP, too large), cancelled. No error contains the value of a header.
  Result<Response> post(const Request& request, std::stop_token stop);

 private:
  struct Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace memd::http
