#include "daemon/models/embedding_models.hpp"

#include "store/enrich/embedding/static_model.hpp"

namespace memd::embedding {
namespace {

using embeddings_api::Dialect;

std::shared_ptr<Embedder> builtin() {
  // Of static storage, so nothing is owned.
  return {std::shared_ptr<void>(), &builtin_embedder()};
}

RemoteModel remote_model(const EmbeddingConfig& config, const EmbeddingModelChoice& choice) {
  RemoteModel out;
  const bool ollama = choice.provider == EmbeddingProvider::ollama;
  out.dialect = ollama ? Dialect::ollama : Dialect::openai;
  out.model = choice.model;
  std::string endpoint(provider::usual_endpoint(out.dialect));
  if (choice.provider == config.choice.provider) {
    // Address, key and length are those of the preferred model's provider: no key goes to another one.
    if (!config.endpoint.empty()) endpoint = config.endpoint;
    out.key = {config.api_key_env, config.api_key_file, "embedding"};
    out.dimensions = config.dimensions;
  }
  out.base = http::parse_url(endpoint).value();  // the configuration has been checked
  out.batch_size = static_cast<std::size_t>(config.batch_size);
  out.connect_timeout = std::chrono::milliseconds(config.connect_timeout_ms);
  out.timeout = std::chrono::milliseconds(config.timeout_ms);
  out.query_timeout = std::chrono::milliseconds(config.query_timeout_ms);
  return out;
}

}  // namespace

std::shared_ptr<Embedder> Models::find(std::string_view name) const {
  for (const auto& choice : choices)
    if (choice.embedder->model().name == name) return choice.embedder;
  return builtin && builtin->model().name == name ? builtin : nullptr;
}

std::vector<std::string> Models::names() const {
  std::vector<std::string> out;
  for (const auto& choice : choices)
    out.push_back(choice.embedder->model().name);
  return out;
}

std::shared_ptr<const Models> make_models(const EmbeddingConfig& config) {
  auto out = std::make_shared<Models>();
  if (config.choice.provider == EmbeddingProvider::disabled) return out;
  out->builtin = builtin();
  auto client = std::make_shared<http::Client>();
  const auto add = [&](const EmbeddingModelChoice& choice) {
    if (choice.provider == EmbeddingProvider::builtin) {
      out->choices.push_back({out->builtin, nullptr});
      return;
    }
    auto remote = std::make_shared<HttpEmbedder>(remote_model(config, choice), client);
    out->choices.push_back({remote, remote});
  };
  add(config.choice);
  for (const auto& fallback : config.fallbacks)
    add(fallback);
  return out;
}

}  // namespace memd::embedding
