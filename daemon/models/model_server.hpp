#pragma once

#include "daemon/models/api_key.hpp"
#include "protocol/models/http_client.hpp"
#include "protocol/models/model_api.hpp"
#include "schemas/base/result.hpp"
#include "schemas/base/timestamp.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace memd::provider {

// A model served over HTTP. `key.section` is the section of the configuration that chose it.
struct ServedModel {
  model_api::Dialect dialect = model_api::Dialect::ollama;
  std::string model;  // the server's name for it
  http::Url base;
  ApiKeySource key;
  std::chrono::milliseconds connect_timeout{3000};
};

// Returns the default address of a provider.
std::string_view usual_endpoint(model_api::Dialect dialect);

struct Failure {
  Error error;
  bool of_server = true;  // false: the request itself was refused
  bool hopeless = false;  // stays so until the user acts
  std::optional<std::chrono::milliseconds> retry_after;
};

// Sends requests to a model server and explains its refusals. Errors name the model and the server, say what to do, and
// contain no key. Thread-safe.
class ModelServer {
 public:
  ModelServer(ServedModel model, std::string name, std::shared_ptr<http::Client> client);

  struct Question {
    std::string_view path;  // appended to the base address
    std::string body;       // JSON
    std::chrono::milliseconds timeout{60'000};
    std::size_t most_response_bytes = 1 << 20;
  };
  struct Answer {
    std::string body;  // of a response with status 200, declared as JSON
    std::optional<Failure> failure;
  };
  Answer ask(Question question, const std::stop_token& stop) const;

  const std::string& name() const { return name_; }  // "ollama/nomic-embed-text"
  Error say(Errc code, const std::string& what) const;

 private:
  Failure unreachable(const Error& e) const;
  Failure refused(const http::Response& response, const std::string& key) const;

  const ServedModel model_;
  const std::string name_;
  const std::shared_ptr<http::Client> client_;
};

// Parses a Retry-After header (RFC 9110, 10.2.3): seconds, or a date in GMT. nullopt: neither.
std::optional<std::chrono::milliseconds> parse_retry_after(std::string_view header, TimeMs now);

}  // namespace memd::provider
