#pragma once

#include "daemon/models/circuit_breaker.hpp"
#include "daemon/models/model_server.hpp"
#include "schemas/language_model.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace memd::llm {

// A language model that is served over HTTP.
struct RemoteLanguageModel : provider::ServedModel {
  std::chrono::milliseconds timeout{120'000};
  std::size_t context_tokens = 8192;
};

// Asks a server, one request after the other, and checks all it answers. Errors name the server and what to do. After
// an error of the server (not of the text) the server is left alone for a while. Thread-safe.
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
