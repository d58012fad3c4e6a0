#pragma once

#include "daemon/config/model_config.hpp"
#include "daemon/models/circuit_breaker.hpp"
#include "schemas/language_model.hpp"
#include "store/enrich/embedding/embedder.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace memd::http {
class Client;
}

namespace memd::embedding {

// A model for embeddings that is asked over a network. Thread-safe.
class RemoteEmbedder : public Embedder {
 public:
  virtual std::size_t batch_size() const = 0;  // texts a request
  // Why and until when the server is left alone with documents, after a failure.
  virtual std::optional<provider::CircuitBreaker::Open> left_alone() const = 0;
  // Sets the dimension of the stored vectors of this model; answers of another dimension are refused.
  virtual void expect_dimension(int dimension) = 0;
};

}  // namespace memd::embedding

namespace memd::llm {

// One of the configured language models.
struct LanguageModelChoice {
  std::shared_ptr<LanguageModel> model;     // null: that of the client that calls
  std::function<std::string()> left_alone;  // why it is not to be asked now; empty: it may be asked

  bool is_client() const { return model == nullptr; }
  std::string name() const { return is_client() ? "client" : model->name(); }
};

}  // namespace memd::llm

namespace memd {

// Makes the clients of configured model servers. Together they use one HTTP client, thus one thread, which begins with
// the first request. One thread. Everything made here may outlive it.
class ModelClients {
 public:
  // False: memd was built without MEMD_WITH_MODELS. The configuration refuses servers then, and the functions below
  // throw.
  static bool available();

  ModelClients();
  ~ModelClients();

  // `choice`: the configured model or one of its fallbacks, served over HTTP.
  std::shared_ptr<embedding::RemoteEmbedder> embedder(const EmbeddingConfig& config,
                                                      const EmbeddingModelChoice& choice);
  llm::LanguageModelChoice language_model(const SummariesConfig& config, const SummaryModelChoice& choice);

 private:
  std::shared_ptr<http::Client> http_;
};

}  // namespace memd
