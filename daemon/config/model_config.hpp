#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace YAML {
class Node;
}

// The configuration of models: plain values, no behaviour.
namespace memd {

// A model and who serves it.
template <class Provider>
struct ModelChoice {
  Provider provider = Provider();  // the first of the enumeration is the default
  std::string model;               // empty: the provider has only one
  bool operator==(const ModelChoice&) const = default;
};

// The connection to a served model. Address and key are those of the preferred model's provider; no other provider gets
// the key.
struct ModelServerConfig {
  std::string endpoint;     // empty: the provider's usual address
  std::string api_key_env;  // name of an environment variable
  std::filesystem::path api_key_file;
  int timeout_ms = 60'000;        // of a request
  int connect_timeout_ms = 3000;  // until the connection is established; part of timeout_ms
};

enum class EmbeddingProvider { builtin, ollama, openai, disabled };
std::string_view to_string(EmbeddingProvider provider);
using EmbeddingModelChoice = ModelChoice<EmbeddingProvider>;

// The models that make vectors of texts; see docs/embedding.md.
struct EmbeddingConfig : ModelServerConfig {
  EmbeddingModelChoice choice;
  std::vector<EmbeddingModelChoice> fallbacks;  // tried in this order when the preferred model cannot be used
  int batch_size = 16;                          // texts a request
  int query_timeout_ms = 1500;                  // for the text of a search
  std::optional<int> dimensions;                // requests shorter vectors from models that support it
};

enum class SummaryProvider { disabled, ollama, openai, client };
std::string_view to_string(SummaryProvider provider);
using SummaryModelChoice = ModelChoice<SummaryProvider>;

// The language models that write summaries, and how much they may cost; see docs/summaries.md.
struct SummariesConfig : ModelServerConfig {
  SummariesConfig() { timeout_ms = 120'000; }

  SummaryModelChoice choice;
  std::vector<SummaryModelChoice> fallbacks;  // tried in this order when the preferred model cannot be used
  bool has_served_model() const;              // true if ollama or openai serves one: it needs no client
  int max_parallel = 2;                       // requests at a time
  int context_tokens = 8192;                  // of a request and its answer together
  int max_tokens = 1500;                      // of a summary, whatever a caller asks for
  std::int64_t daily_requests = 200;          // a day in UTC; 0: no limit
  std::int64_t daily_tokens = 1'000'000;      // of requests and answers, a day in UTC; 0: no limit
};

}  // namespace memd

// Reads the sections of the configuration file that choose models. Both refuse as Section does; a provider
// that is a server is refused when memd was built without MEMD_WITH_MODELS.
namespace memd::config {

EmbeddingConfig read_embedding(const std::string& file, const YAML::Node& node);
SummariesConfig read_summaries(const std::string& file, const YAML::Node& node);

}  // namespace memd::config
