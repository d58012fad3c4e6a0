#include "daemon/config/embedding_section.hpp"

#include "daemon/config/model_keys.hpp"

#include <array>

namespace memd {
namespace {

using Named = config::NamedProvider<EmbeddingProvider>;
constexpr std::array kProviders{
    Named{EmbeddingProvider::builtin, "builtin"}, Named{EmbeddingProvider::ollama, "ollama", true},
    Named{EmbeddingProvider::openai, "openai", true}, Named{EmbeddingProvider::disabled, "disabled"}};

}  // namespace

std::string_view to_string(EmbeddingProvider provider) {
  return config::name_of<EmbeddingProvider>(kProviders, provider);
}

namespace config {

EmbeddingConfig read_embedding(const std::string& file, const YAML::Node& node) {
  EmbeddingConfig out;
  ModelKeys<EmbeddingProvider> models(file, "embedding", kProviders, EmbeddingProvider::builtin);
  Section section(file, "embedding");
  models.add_to(section, out.choice);
  section
      .key("batch_size", [&](const auto& v, const auto& key) { out.batch_size = whole_number(file, v, key, 1, 256); })
      .key("query_timeout_ms",
           [&](const auto& v, const auto& key) { out.query_timeout_ms = whole_number(file, v, key, 50, 30'000); })
      .key("dimensions",
           [&](const auto& v, const auto& key) { out.dimensions = whole_number(file, v, key, 32, 4096); });
  add_server_keys(section, file, out);
  section.read(node);
  out.fallbacks = models.finish(node, out.choice);
  check_server_keys(file, node, "embedding", out);
  return out;
}

}  // namespace config
}  // namespace memd
