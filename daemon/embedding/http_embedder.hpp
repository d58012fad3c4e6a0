#pragma once

#include "daemon/embedding/api_key.hpp"
#include "daemon/embedding/circuit_breaker.hpp"
#include "protocol/embeddings/embeddings_api.hpp"
#include "protocol/http/http_client.hpp"
#include "store/embedding/embedder.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace memd::embedding {

// A model that is served over HTTP.
struct RemoteModel {
  embeddings_api::Dialect dialect = embeddings_api::Dialect::ollama;
  std::string model;  // as the server calls it
  http::Url base;
  ApiKeySource key;
  std::size_t batch_size = 16;
  std::size_t batch_bytes = 256 << 10;  // of text, a request
  std::chrono::milliseconds connect_timeout{3000};
  std::chrono::milliseconds timeout{60'000};
  std::chrono::milliseconds query_timeout{1500};
  std::optional<int> dimensions;  // asked for
};

// "ollama/nomic-embed-text", "openai/text-embedding-3-small@256"
std::string name_of(const RemoteModel& model);

// Asks a server for vectors, and believes nothing it says unchecked. Errors name the server and what to do. One of the
// text's own (invalid_argument: refused, too long) is told apart from those of the server, after which it is left alone
// for a while: apart for documents and for questions, so that neither makes the other wait.
class HttpEmbedder final : public Embedder {
 public:
  HttpEmbedder(RemoteModel model, std::shared_ptr<http::Client> client, CircuitBreaker::Options back_off = {});

  ModelId model() const override;
  Result<std::vector<Vector>> embed(std::span<const std::string_view> texts, Purpose purpose,
                                    std::stop_token stop) override;

  std::size_t batch_size() const { return remote_.batch_size; }
  // When documents are taken again, after a failure.
  std::optional<CircuitBreaker::Open> left_alone() const { return documents_.open(); }
  // What stored vectors of this model have; other answers are refused.
  void expect_dimension(int dimension) { dimension_ = dimension; }

 private:
  struct Failure {
    Error error;
    bool of_server = true;
    bool hopeless = false;
    std::optional<std::chrono::milliseconds> retry_after;
  };
  struct Outcome;

  Outcome ask(std::span<const std::string_view> texts, Purpose purpose, const std::stop_token& stop);
  Failure refused(const http::Response& response, const std::string& key) const;
  Error say(Errc code, const std::string& what) const;

  const RemoteModel remote_;
  const std::string name_;
  const std::shared_ptr<http::Client> client_;
  CircuitBreaker documents_;
  CircuitBreaker questions_;
  std::atomic<int> dimension_{0};  // 0: not known yet
};

}  // namespace memd::embedding
