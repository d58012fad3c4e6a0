#include "daemon/models/embedding_models.hpp"

#include "store/enrich/embedding/embedder.hpp"

namespace memd::embedding {
namespace {

std::shared_ptr<Embedder> builtin() {
  // Of static storage, so nothing is owned.
  return {std::shared_ptr<void>(), &builtin_embedder()};
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
  ModelClients clients;
  const auto add = [&](const EmbeddingModelChoice& choice) {
    if (choice.provider == EmbeddingProvider::builtin) {
      out->choices.push_back({out->builtin, nullptr});
      return;
    }
    auto remote = clients.embedder(config, choice);
    out->choices.push_back({remote, remote});
  };
  add(config.choice);
  for (const auto& fallback : config.fallbacks)
    add(fallback);
  return out;
}

}  // namespace memd::embedding
