#pragma once

#include "daemon/models/circuit_breaker.hpp"
#include "daemon/models/model_clients.hpp"
#include "daemon/models/model_server.hpp"
#include "schemas/language_model.hpp"
#include "store/enrich/embedding/embedder.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace memd::embedding {

using provider::CircuitBreaker;
using provider::Failure;

// An embedding model that is served over HTTP.
struct RemoteModel : provider::ServedModel {
  std::size_t batch_size = 16;
  std::size_t batch_bytes = 256 << 10;  // bytes of text in a request
  std::chrono::milliseconds timeout{60'000};
  std::chrono::milliseconds query_timeout{1500};
  std::optional<int> dimensions;  // requested dimension
};

// "ollama/nomic-embed-text", "openai/text-embedding-3-small@256"
std::string name_of(const RemoteModel& model);

// Requests vectors from a server and validates its answers. Errors name the server and what to do. An error of the text
// (invalid_argument: refused, too long) differs from one of the server. After a server error the server gets no
// requests for a while, separately for documents and for questions, so that neither delays the other. Thread-safe.
class HttpEmbedder final : public RemoteEmbedder {
 public:
  HttpEmbedder(RemoteModel model, std::shared_ptr<http::Client> client, CircuitBreaker::Options back_off = {});

  ModelId model() const override;
  Result<std::vector<Vector>> embed(std::span<const std::string_view> texts, Purpose purpose,
                                    std::stop_token stop) override;

  std::size_t batch_size() const override { return remote_.batch_size; }
  std::optional<CircuitBreaker::Open> left_alone() const override { return documents_.open(); }
  void expect_dimension(int dimension) override { dimension_ = dimension; }

 private:
  struct Outcome;

  Outcome ask(std::span<const std::string_view> texts, Purpose purpose, const std::stop_token& stop);

  const RemoteModel remote_;
  const provider::ModelServer server_;
  CircuitBreaker documents_;
  CircuitBreaker questions_;
  std::atomic<int> dimension_{0};  // 0: not known yet
};

// Returns the prefix that some models were trained to see before a question or a document, by the model's name; empty
// for all others.
std::string_view purpose_prefix(std::string_view model, Purpose purpose);

}  // namespace memd::embedding

namespace memd::llm {

// A language model that is served over HTTP.
struct RemoteLanguageModel : provider::ServedModel {
  std::chrono::milliseconds timeout{120'000};
  std::size_t context_tokens = 8192;
};

// Sends requests to a server, one after the other, and validates its answers. Errors name the server and what to do.
// After an error of the server (not of the text) it gets no requests for a while. Thread-safe.
class HttpLanguageModel final : public LanguageModel {
 public:
  HttpLanguageModel(RemoteLanguageModel model, std::shared_ptr<http::Client> client,
                    provider::CircuitBreaker::Options back_off = {});

  std::string name() const override { return server_.name(); }
  Result<std::vector<Completion>> complete(std::span<const CompletionRequest> requests, std::stop_token stop) override;

  std::optional<provider::CircuitBreaker::Open> left_alone() const { return breaker_.open(); }

 private:
  Result<Completion> ask(const CompletionRequest& request, const std::stop_token& stop);

  const RemoteLanguageModel remote_;
  const provider::ModelServer server_;
  provider::CircuitBreaker breaker_;
};

}  // namespace memd::llm
