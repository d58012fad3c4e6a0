#include "daemon/config/embedding_section.hpp"

#include "daemon/config/config_section.hpp"
#include "protocol/http/url.hpp"

#include <algorithm>
#include <array>
#include <cctype>
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

bool is_variable_name(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

}  // namespace

std::string_view to_string(EmbeddingProvider provider) {
  for (const auto& [name, p] : kProviders)
    if (p == provider) return name;
  return "";
}

namespace config {
namespace {

std::string text(const std::string& file, const YAML::Node& node, const std::string& key, const char* expected) {
  auto out = scalar<std::string>(file, node, key, expected);
  if (out.empty()) refuse(file, node.Mark(), key + ": expected " + expected);
  return out;
}

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
  const auto slash = name.find('/');
  const auto provider = slash == std::string::npos ? std::nullopt : parse_provider(name.substr(0, slash));
  EmbeddingModelChoice out = provider ? EmbeddingModelChoice{*provider, name.substr(slash + 1)}
                                      : EmbeddingModelChoice{same, name};  // "BAAI/bge-m3" is a model's name
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
      .key("endpoint",
           [&](const auto& v, const auto& key) {
             out.endpoint = text(file, v, key, "an address");
             if (const auto url = http::parse_url(out.endpoint); !url)
               refuse(file, v.Mark(),
                      key + ": expected an address like http://127.0.0.1:11434 (" + url.error().context + ")");
           })
      .key("fallback_models",
           [&](const auto& v, const auto& key) {
             if (!v.IsSequence()) refuse(file, v.Mark(), key + ": expected a list of models");
             fallbacks = v;
             fallback_key = key;
           })
      .key("api_key_env",
           [&](const auto& v, const auto& key) {
             out.api_key_env = text(file, v, key, "the name of an environment variable");
             if (!is_variable_name(out.api_key_env))  // not repeated: it may be the key itself
               refuse(file, v.Mark(), key + ": expected the name of an environment variable, not a key");
           })
      .key("api_key_file",
           [&](const auto& v, const auto& key) {
             out.api_key_file = text(file, v, key, "an absolute path");
             if (!out.api_key_file.is_absolute()) refuse(file, v.Mark(), key + ": expected an absolute path");
           })
      .key("batch_size", [&](const auto& v, const auto& key) { out.batch_size = whole_number(file, v, key, 1, 256); })
      .key("timeout_ms",
           [&](const auto& v, const auto& key) { out.timeout_ms = whole_number(file, v, key, 100, 600'000); })
      .key("connect_timeout_ms",
           [&](const auto& v, const auto& key) { out.connect_timeout_ms = whole_number(file, v, key, 50, 60'000); })
      .key("query_timeout_ms",
           [&](const auto& v, const auto& key) { out.query_timeout_ms = whole_number(file, v, key, 50, 30'000); })
      .key("dimensions", [&](const auto& v, const auto& key) { out.dimensions = whole_number(file, v, key, 32, 4096); })
      .read(node);
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
  if (!out.api_key_env.empty() && !out.api_key_file.empty())
    refuse(file, node.Mark(), "embedding: api_key_env and api_key_file: only one of them");
  return out;
}

}  // namespace config
}  // namespace memd
