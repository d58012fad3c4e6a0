#pragma once

#include "daemon/models/circuit_breaker.hpp"
#include "daemon/models/model_server.hpp"
#include "protocol/models/embeddings_api.hpp"
#include "store/enrich/embedding/embedder.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace memd::embedding {

using provider::CircuitBreaker;
using provider::Failure;

// A model for embeddings that is served over HTTP.
struct RemoteModel : provider::ServedModel {
  std::size_t batch_size = 16;
  std::size_t batch_bytes = 256 << 10;  // of text, a request
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
  struct Outcome;

  Outcome ask(std::span<const std::string_view> texts, Purpose purpose, const std::stop_token& stop);

  const RemoteModel remote_;
  const provider::ModelServer server_;
  CircuitBreaker documents_;
  CircuitBreaker questions_;
  std::atomic<int> dimension_{0};  // 0: not known yet
};

}  // namespace memd::embedding
