#pragma once

#include "daemon/config/model_choice.hpp"
#include "daemon/config/model_server_keys.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The keys by which a section says which models it uses and who serves them: provider, model, fallback_models.
namespace memd::config {

// A provider and its name in configuration. One that is served over HTTP has models to choose from.
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

template <class Provider>
class ModelKeys {
 public:
  using Choice = ModelChoice<Provider>;

  // `local`: the provider without models that others may fall back to. `file` and `all` must outlive this.
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

  // After all keys of `section`, which may stand in any order, were read: what it falls back to, in order. Refuses a
  // choice without the model it needs, or with one where there are none.
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
  Provider provider_of(const YAML::Node& node, const std::string& key) const {
    if (const auto provider = parse(scalar<std::string>(file_, node, key, "a provider"))) return *provider;
    std::string names;
    for (const auto& p : all_)
      names.append(names.empty() ? "" : ", ").append(p.name);
    refuse(file_, node.Mark(), key + ": expected one of " + names);
  }
  // "model" of the same provider, "provider/model", or the local provider.
  Choice fallback_of(const YAML::Node& node, Provider same) const {
    const std::string expected =
        R"(models as "model", "provider/model" or ")" + std::string(name_of(all_, local_)) + '"';
    const std::string name = text(file_, node, fallback_key_, expected.c_str());
    if (name == name_of(all_, local_)) return {local_, ""};
    Choice out{same, name};
    // Only where a provider's name stands before it: "BAAI/bge-m3" is a model.
    const auto slash = name.find('/');
    if (const auto other = parse(std::string_view(name).substr(0, slash)); other && slash != std::string::npos)
      out = {*other, name.substr(slash + 1)};
    if (!is_over_http(out.provider) || out.model.empty())
      refuse(file_, node.Mark(), fallback_key_ + ": expected " + expected);
    return out;
  }

  const std::string& file_;
  std::string section_;
  std::span<const NamedProvider<Provider>> all_;
  Provider local_;
  YAML::Node fallbacks_;
  std::string fallback_key_;
};

}  // namespace memd::config
