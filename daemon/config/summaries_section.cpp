#include "daemon/config/summaries_section.hpp"

#include "daemon/config/model_keys.hpp"

#include <array>

namespace memd {
namespace {

using SummariesSectionNamed = config::NamedProvider<SummaryProvider>;
constexpr std::array kSummariesSectionProviders{SummariesSectionNamed{SummaryProvider::disabled, "disabled"},
                                                SummariesSectionNamed{SummaryProvider::ollama, "ollama", true},
                                                SummariesSectionNamed{SummaryProvider::openai, "openai", true},
                                                SummariesSectionNamed{SummaryProvider::client, "client"}};

constexpr int kMost = 1'000'000'000;

}  // namespace

std::string_view to_string(SummaryProvider provider) {
  return config::name_of<SummaryProvider>(kSummariesSectionProviders, provider);
}

namespace config {

SummariesConfig read_summaries(const std::string& file, const YAML::Node& node) {
  SummariesConfig out;
  ModelKeys<SummaryProvider> models(file, "summaries", kSummariesSectionProviders, SummaryProvider::client);
  Section section(file, "summaries");
  models.add_to(section, out.choice);
  section
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
  out.fallbacks = models.finish(node, out.choice);
  if (out.choice.provider == SummaryProvider::disabled && !out.fallbacks.empty())
    refuse(file, node.Mark(), "summaries.fallback_models: nothing to fall back from while the provider is disabled");
  if (4 * out.max_tokens > out.context_tokens)
    refuse(file, node.Mark(), "summaries.max_tokens: expected at most a quarter of summaries.context_tokens");
  check_server_keys(file, node, "summaries", out);
  return out;
}

}  // namespace config
}  // namespace memd
