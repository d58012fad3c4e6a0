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

// An embedding model that is used over a network. Thread-safe.
class RemoteEmbedder : public Embedder {
 public:
  virtual std::size_t batch_size() const = 0;  // texts per request
  // Reason and end of the back-off for documents after a failure; nullopt: none.
  virtual std::optional<provider::CircuitBreaker::Open> left_alone() const = 0;
  // Sets the dimension of this model's stored vectors; answers with another dimension are refused.
  virtual void expect_dimension(int dimension) = 0;
};

}  // namespace memd::embedding

namespace memd::llm {

// One of the configured language models.
struct LanguageModelChoice {
  std::shared_ptr<LanguageModel> model;     // null: the model of the calling client
  std::function<std::string()> left_alone;  // why it must not be asked now; empty: it may be

  bool is_client() const { return model == nullptr; }
  std::string name() const { return is_client() ? "client" : model->name(); }
};

}  // namespace memd::llm

namespace memd {

// Makes the clients of configured model servers. They share one HTTP client, thus one thread, which starts with the
// first request. One thread. Everything made here may outlive it.
class ModelClients {
 public:
  // False: memd was built without MEMD_WITH_MODELS. The configuration then refuses servers, and the functions below
  // throw.
  static bool available();

  ModelClients();
  ~ModelClients();

  // Makes a client. `choice`: the configured model or one of its fallbacks, served over HTTP.
  std::shared_ptr<embedding::RemoteEmbedder> embedder(const EmbeddingConfig& config,
                                                      const EmbeddingModelChoice& choice);
  llm::LanguageModelChoice language_model(const SummariesConfig& config, const SummaryModelChoice& choice);

 private:
  std::shared_ptr<http::Client> http_;
};

}  // namespace memd
