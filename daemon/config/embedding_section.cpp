#include "daemon/config/embedding_section.hpp"

#include "daemon/config/config_section.hpp"
#include "daemon/config/model_server_keys.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace memd {
namespace {

constexpr std::array<std::pair<std::string_view, EmbeddingProvider>, 4> kProviders{
    {{"builtin", EmbeddingProvider::builtin},
     {"ollama", EmbeddingProvider::ollama},
     {"openai", EmbeddingProvider::openai},
     {"disabled", EmbeddingProvider::disabled}}};

std::optional<EmbeddingProvider> parse_provider(std::string_view name) {
  const auto it = std::find_if(kProviders.begin(), kProviders.end(), [&](const auto& p) { return p.first == name; });
  if (it == kProviders.end()) return std::nullopt;
  return it->second;
}

}  // namespace

std::string_view to_string(EmbeddingProvider provider) {
  for (const auto& [name, p] : kProviders)
    if (p == provider) return name;
  return "";
}

namespace config {
namespace {

EmbeddingProvider provider_of(const std::string& file, const YAML::Node& node, const std::string& key) {
  const auto provider = parse_provider(scalar<std::string>(file, node, key, "a provider"));
  if (!provider) refuse(file, node.Mark(), key + ": expected one of builtin, ollama, openai, disabled");
  return *provider;
}

// "model" of the same provider, "provider/model", or "builtin".
EmbeddingModelChoice fallback_of(const std::string& file, const YAML::Node& node, const std::string& key,
                                 EmbeddingProvider same) {
  constexpr const char* expected = "models as \"model\", \"provider/model\" or \"builtin\"";
  const std::string name = text(file, node, key, expected);
  if (name == "builtin") return {EmbeddingProvider::builtin, ""};
  constexpr std::array<std::string_view, 3> providers{"builtin", "ollama", "openai"};
  auto [provider, model] = split_model_name(name, providers);
  EmbeddingModelChoice out{provider.empty() ? same : *parse_provider(provider), std::move(model)};
  const bool over_http = out.provider == EmbeddingProvider::ollama || out.provider == EmbeddingProvider::openai;
  if (!over_http || out.model.empty()) refuse(file, node.Mark(), key + ": expected " + expected);
  return out;
}

}  // namespace

EmbeddingConfig read_embedding(const std::string& file, const YAML::Node& node) {
  EmbeddingConfig out;
  YAML::Node fallbacks;
  std::string fallback_key;
  Section section(file, "embedding");
  section.key("provider", [&](const auto& v, const auto& key) { out.choice.provider = provider_of(file, v, key); })
      .key("model", [&](const auto& v, const auto& key) { out.choice.model = text(file, v, key, "a model's name"); })
      .key("fallback_models",
           [&](const auto& v, const auto& key) {
             if (!v.IsSequence()) refuse(file, v.Mark(), key + ": expected a list of models");
             fallbacks = v;
             fallback_key = key;
           })
      .key("batch_size", [&](const auto& v, const auto& key) { out.batch_size = whole_number(file, v, key, 1, 256); })
      .key("query_timeout_ms",
           [&](const auto& v, const auto& key) { out.query_timeout_ms = whole_number(file, v, key, 50, 30'000); })
      .key("dimensions",
           [&](const auto& v, const auto& key) { out.dimensions = whole_number(file, v, key, 32, 4096); });
  add_server_keys(section, file, out);
  section.read(node);
  // After all keys: they may stand in any order.
  for (const auto& item : fallbacks)
    out.fallbacks.push_back(fallback_of(file, item, fallback_key, out.choice.provider));
  const bool over_http =
      out.choice.provider == EmbeddingProvider::ollama || out.choice.provider == EmbeddingProvider::openai;
  if (over_http && out.choice.model.empty())
    refuse(file, node.Mark(),
           "embedding.model: " + std::string(to_string(out.choice.provider)) + " needs the name of a model");
  if (!over_http && !out.choice.model.empty())
    refuse(file, node.Mark(),
           "embedding.model: " + std::string(to_string(out.choice.provider)) + " has no models to choose from");
  check_server_keys(file, node, "embedding", out);
  return out;
}

}  // namespace config
}  // namespace memd
