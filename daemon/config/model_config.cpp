#include "daemon/config/model_config.hpp"

#include "protocol/models/url.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/yaml_section.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace memd {
namespace config {
namespace {

using yaml::refuse;
using yaml::scalar;
using yaml::Section;

#ifdef MEMD_WITH_MODELS
constexpr bool kHasModelClients = true;
#else
constexpr bool kHasModelClients = false;
#endif

bool is_variable_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), ascii::is_word);
}

// Returns a non-empty scalar.
std::string text(const std::string& file, const YAML::Node& node, const std::string& key, const char* expected) {
  auto out = scalar<std::string>(file, node, key, expected);
  if (out.empty()) refuse(file, node.Mark(), key + ": expected " + expected);
  return out;
}

// Adds endpoint, api_key_env, api_key_file, timeout_ms and connect_timeout_ms. `section` borrows `file` and `out`.
void add_server_keys(Section& section, const std::string& file, ModelServerConfig& out) {
  section
      .key("endpoint",
           [&](const auto& v, const auto& key) {
             out.endpoint = text(file, v, key, "an address");
             if (const auto url = http::parse_url(out.endpoint); !url)
               refuse(file, v.Mark(),
                      key + ": expected an address like http://127.0.0.1:11434 (" + url.error().context + ")");
           })
      .key("api_key_env",
           [&](const auto& v, const auto& key) {
             out.api_key_env = text(file, v, key, "the name of an environment variable");
             if (!is_variable_name(out.api_key_env))  // the value is not repeated: it may be the key itself
               refuse(file, v.Mark(), key + ": expected the name of an environment variable, not a key");
           })
      .key("api_key_file",
           [&](const auto& v, const auto& key) {
             out.api_key_file = text(file, v, key, "an absolute path");
             if (!out.api_key_file.is_absolute()) refuse(file, v.Mark(), key + ": expected an absolute path");
           })
      .key("timeout_ms", out.timeout_ms, 100, 600'000)
      .key("connect_timeout_ms", out.connect_timeout_ms, 50, 60'000);
}

// Refuses two places for one key. Call it after the section has been read.
void check_server_keys(const std::string& file, const YAML::Node& node, const std::string& section,
                       const ModelServerConfig& config) {
  if (!config.api_key_env.empty() && !config.api_key_file.empty())
    refuse(file, node.Mark(), section + ": api_key_env and api_key_file: only one of them");
}

// A provider and its name in the configuration. A provider over HTTP has models to choose from.
template <class Provider>
struct NamedProvider {
  Provider provider;
  std::string_view name;
  bool over_http = false;
};

template <class Provider>
std::string_view name_of(std::span<const NamedProvider<Provider>> all, Provider provider) {
  const auto it = std::find_if(all.begin(), all.end(), [&](const auto& p) { return p.provider == provider; });
  return it == all.end() ? std::string_view() : it->name;
}

// Reads the keys that choose models: provider, model, fallback_models. Borrows its constructor's arguments.
template <class Provider>
class ModelKeys {
 public:
  using Choice = ModelChoice<Provider>;

  // `local`: the provider without models that may be named as a fallback.
  ModelKeys(const std::string& file, std::string section, std::span<const NamedProvider<Provider>> all, Provider local)
      : file_(file), section_(std::move(section)), all_(all), local_(local) {}

  // This and `choice` must outlive `section`.
  void add_to(Section& section, Choice& choice) {
    section.key("provider", [&](const auto& v, const auto& key) { choice.provider = provider_of(v, key); })
        .key("model", [&](const auto& v, const auto& key) { choice.model = text(file_, v, key, "a model's name"); })
        .key("fallback_models", [&](const auto& v, const auto& key) {
          if (!v.IsSequence()) refuse(file_, v.Mark(), key + ": expected a list of models");
          fallbacks_ = v;
          fallback_key_ = key;
        });
  }

  bool names_fallbacks() const { return !fallback_key_.empty(); }

  // Returns the fallbacks, in order. Call it after all keys of `section` have been read, whose order is free. Refuses a
  // choice without the model it needs, or with a model where the provider has none.
  std::vector<Choice> finish(const YAML::Node& section, const Choice& choice) const {
    const std::string provider(name_of(all_, choice.provider));
    if (is_over_http(choice.provider) && choice.model.empty())
      refuse(file_, section.Mark(), section_ + ".model: " + provider + " needs the name of a model");
    if (!is_over_http(choice.provider) && !choice.model.empty())
      refuse(file_, section.Mark(), section_ + ".model: " + provider + " has no models to choose from");
    std::vector<Choice> out;
    for (const auto& item : fallbacks_)
      out.push_back(fallback_of(item, choice.provider));
    return out;
  }

 private:
  bool is_over_http(Provider provider) const {
    return std::any_of(all_.begin(), all_.end(), [&](const auto& p) { return p.provider == provider && p.over_http; });
  }
  std::optional<Provider> parse(std::string_view name) const {
    const auto it = std::find_if(all_.begin(), all_.end(), [&](const auto& p) { return p.name == name; });
    return it == all_.end() ? std::nullopt : std::optional(it->provider);
  }
  void check_built(Provider provider, const YAML::Node& node, const std::string& key) const {
    if (kHasModelClients || !is_over_http(provider)) return;
    refuse(file_, node.Mark(),
           key + ": " + std::string(name_of(all_, provider)) +
               " is a server of models, and this memd was built without clients of such (MEMD_WITH_MODELS)");
  }
  Provider provider_of(const YAML::Node& node, const std::string& key) const {
    if (const auto provider = parse(scalar<std::string>(file_, node, key, "a provider"))) {
      check_built(*provider, node, key);
      return *provider;
    }
    std::string names;
    for (const auto& p : all_)
      names.append(names.empty() ? "" : ", ").append(p.name);
    refuse(file_, node.Mark(), key + ": expected one of " + names);
  }
  // Parses "model" of the same provider, "provider/model", or the local provider.
  Choice fallback_of(const YAML::Node& node, Provider same) const {
    const std::string expected =
        R"(models as "model", "provider/model" or ")" + std::string(name_of(all_, local_)) + '"';
    const std::string name = text(file_, node, fallback_key_, expected.c_str());
    if (name == name_of(all_, local_)) return {local_, ""};
    Choice out{same, name};
    // Split only after a provider's name: "BAAI/bge-m3" is a model.
    const auto slash = name.find('/');
    if (const auto other = parse(std::string_view(name).substr(0, slash)); other && slash != std::string::npos)
      out = {*other, name.substr(slash + 1)};
    if (!is_over_http(out.provider) || out.model.empty())
      refuse(file_, node.Mark(), fallback_key_ + ": expected " + expected);
    check_built(out.provider, node, fallback_key_);
    return out;
  }

  const std::string& file_;
  std::string section_;
  std::span<const NamedProvider<Provider>> all_;
  Provider local_;
  YAML::Node fallbacks_;
  std::string fallback_key_;
};

using EmbeddingName = NamedProvider<EmbeddingProvider>;
constexpr std::array kEmbeddingProviders{
    EmbeddingName{EmbeddingProvider::builtin, "builtin"}, EmbeddingName{EmbeddingProvider::ollama, "ollama", true},
    EmbeddingName{EmbeddingProvider::openai, "openai", true}, EmbeddingName{EmbeddingProvider::disabled, "disabled"}};

using SummaryName = NamedProvider<SummaryProvider>;
constexpr std::array kSummaryProviders{
    SummaryName{SummaryProvider::disabled, "disabled"}, SummaryName{SummaryProvider::ollama, "ollama", true},
    SummaryName{SummaryProvider::openai, "openai", true}, SummaryName{SummaryProvider::client, "client"}};

constexpr int kMost = 1'000'000'000;

// Default model when the configuration names an Ollama server but no model.
constexpr const char* kUsualOllamaModel = "embeddinggemma";

}  // namespace

EmbeddingConfig read_embedding(const std::string& file, const YAML::Node& node) {
  EmbeddingConfig out;
  ModelKeys<EmbeddingProvider> models(file, "embedding", kEmbeddingProviders, EmbeddingProvider::builtin);
  Section section(file, "embedding");
  models.add_to(section, out.choice);
  section.key("batch_size", out.batch_size, 1, 256)
      .key("query_timeout_ms", out.query_timeout_ms, 50, 30'000)
      .key("dimensions", out.dimensions, 32, 4096)
      .key("second_look",
           [&](const auto& v, const auto& key) { out.second_look = scalar<bool>(file, v, key, "on or off"); });
  add_server_keys(section, file, out);
  section.read(node);
  const bool takes_usual_models = out.choice.provider == EmbeddingProvider::ollama && out.choice.model.empty();
  if (takes_usual_models) out.choice.model = kUsualOllamaModel;
  out.fallbacks = models.finish(node, out.choice);
  if (takes_usual_models && !models.names_fallbacks())
    out.fallbacks = {{EmbeddingProvider::ollama, "nomic-embed-text"},
                     {EmbeddingProvider::ollama, "all-minilm"},
                     {EmbeddingProvider::builtin, ""}};
  check_server_keys(file, node, "embedding", out);
  return out;
}

SummariesConfig read_summaries(const std::string& file, const YAML::Node& node) {
  SummariesConfig out;
  ModelKeys<SummaryProvider> models(file, "summaries", kSummaryProviders, SummaryProvider::client);
  Section section(file, "summaries");
  models.add_to(section, out.choice);
  section.key("max_parallel", out.max_parallel, 1, 16)
      .key("context_tokens", out.context_tokens, 4096, 1'000'000)
      .key("max_tokens", out.max_tokens, 100, 8000)
      .key("daily_requests", out.daily_requests, 0, kMost)
      .key("daily_tokens", out.daily_tokens, 0, kMost);
  add_server_keys(section, file, out);
  section.read(node);
  out.fallbacks = models.finish(node, out.choice);
  if (out.choice.provider == SummaryProvider::disabled && !out.fallbacks.empty())
    refuse(file, node.Mark(), "summaries.fallback_models: nothing to fall back from while the provider is disabled");
  if (4 * out.max_tokens > out.context_tokens)
    refuse(file, node.Mark(), "summaries.max_tokens: expected at most a quarter of summaries.context_tokens");
  check_server_keys(file, node, "summaries", out);
  return out;
}

}  // namespace config

bool SummariesConfig::has_served_model() const {
  const auto is_served = [](const SummaryModelChoice& c) {
    return c.provider == SummaryProvider::ollama || c.provider == SummaryProvider::openai;
  };
  return is_served(choice) || std::any_of(fallbacks.begin(), fallbacks.end(), is_served);
}

std::string_view to_string(EmbeddingProvider provider) {
  return config::name_of<EmbeddingProvider>(config::kEmbeddingProviders, provider);
}

std::string_view to_string(SummaryProvider provider) {
  return config::name_of<SummaryProvider>(config::kSummaryProviders, provider);
}

}  // namespace memd
