#include "daemon/config/summaries_section.hpp"

#include "daemon/config/config_section.hpp"
#include "daemon/config/model_server_keys.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace memd {
namespace {

constexpr std::array<std::pair<std::string_view, SummaryProvider>, 4> kProviders{
    {{"disabled", SummaryProvider::disabled},
     {"ollama", SummaryProvider::ollama},
     {"openai", SummaryProvider::openai},
     {"client", SummaryProvider::client}}};

constexpr int kMost = 1'000'000'000;

std::optional<SummaryProvider> parse_provider(std::string_view name) {
  const auto it = std::find_if(kProviders.begin(), kProviders.end(), [&](const auto& p) { return p.first == name; });
  if (it == kProviders.end()) return std::nullopt;
  return it->second;
}

bool is_over_http(SummaryProvider provider) {
  return provider == SummaryProvider::ollama || provider == SummaryProvider::openai;
}

}  // namespace

std::string_view to_string(SummaryProvider provider) {
  for (const auto& [name, p] : kProviders)
    if (p == provider) return name;
  return "";
}

namespace config {
namespace {

SummaryProvider provider_of(const std::string& file, const YAML::Node& node, const std::string& key) {
  const auto provider = parse_provider(scalar<std::string>(file, node, key, "a provider"));
  if (!provider) refuse(file, node.Mark(), key + ": expected one of disabled, ollama, openai, client");
  return *provider;
}

// "model" of the same provider, "provider/model", or "client".
SummaryModelChoice fallback_of(const std::string& file, const YAML::Node& node, const std::string& key,
                               SummaryProvider same) {
  constexpr const char* expected = "models as \"model\", \"provider/model\" or \"client\"";
  constexpr std::array<std::string_view, 2> over_http{"ollama", "openai"};
  const std::string name = text(file, node, key, expected);
  if (name == "client") return {SummaryProvider::client, ""};
  auto [provider, model] = split_model_name(name, over_http);
  SummaryModelChoice out{provider.empty() ? same : *parse_provider(provider), std::move(model)};
  if (!is_over_http(out.provider) || out.model.empty()) refuse(file, node.Mark(), key + ": expected " + expected);
  return out;
}

}  // namespace

SummariesConfig read_summaries(const std::string& file, const YAML::Node& node) {
  SummariesConfig out;
  YAML::Node fallbacks;
  std::string fallback_key;
  Section section(file, "summaries");
  section.key("provider", [&](const auto& v, const auto& key) { out.choice.provider = provider_of(file, v, key); })
      .key("model", [&](const auto& v, const auto& key) { out.choice.model = text(file, v, key, "a model's name"); })
      .key("fallback_models",
           [&](const auto& v, const auto& key) {
             if (!v.IsSequence()) refuse(file, v.Mark(), key + ": expected a list of models");
             fallbacks = v;
             fallback_key = key;
           })
      .key("max_parallel",
           [&](const auto& v, const auto& key) { out.max_parallel = whole_number(file, v, key, 1, 16); })
      .key("context_tokens",
           [&](const auto& v, const auto& key) { out.context_tokens = whole_number(file, v, key, 4096, 1'000'000); })
      .key("max_tokens",
           [&](const auto& v, const auto& key) { out.max_tokens = whole_number(file, v, key, 100, 8000); })
      .key("daily_requests",
           [&](const auto& v, const auto& key) { out.daily_requests = whole_number(file, v, key, 0, kMost); })
      .key("daily_tokens",
           [&](const auto& v, const auto& key) { out.daily_tokens = whole_number(file, v, key, 0, kMost); });
  add_server_keys(section, file, out);
  section.read(node);
  // After all keys: they may stand in any order.
  for (const auto& item : fallbacks)
    out.fallbacks.push_back(fallback_of(file, item, fallback_key, out.choice.provider));
  const std::string provider(to_string(out.choice.provider));
  if (is_over_http(out.choice.provider) && out.choice.model.empty())
    refuse(file, node.Mark(), "summaries.model: " + provider + " needs the name of a model");
  if (!is_over_http(out.choice.provider) && !out.choice.model.empty())
    refuse(file, node.Mark(), "summaries.model: " + provider + " has no models to choose from");
  if (out.choice.provider == SummaryProvider::disabled && !out.fallbacks.empty())
    refuse(file, node.Mark(), "summaries.fallback_models: nothing to fall back from while the provider is disabled");
  if (4 * out.max_tokens > out.context_tokens)
    refuse(file, node.Mark(), "summaries.max_tokens: expected at most a quarter of summaries.context_tokens");
  check_server_keys(file, node, "summaries", out);
  return out;
}

}  // namespace config
}  // namespace memd
