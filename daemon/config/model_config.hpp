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

// The configuration of models. Plain values.
namespace memd {

// A model and its provider.
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
  int timeout_ms = 60'000;        // for a whole request
  int connect_timeout_ms = 3000;  // until the connection is established; part of timeout_ms
};

enum class EmbeddingProvider { builtin, ollama, openai, disabled };
std::string_view to_string(EmbeddingProvider provider);
using EmbeddingModelChoice = ModelChoice<EmbeddingProvider>;

// The models that make vectors of texts; see docs/embedding.md.
struct EmbeddingConfig : ModelServerConfig {
  EmbeddingModelChoice choice;
  std::vector<EmbeddingModelChoice> fallbacks;  // tried in this order when the preferred model cannot be used
  int batch_size = 16;                          // texts per request
  int query_timeout_ms = 1500;                  // time limit for embedding the text of a search
  std::optional<int> dimensions;                // requests shorter vectors from models that support it
  // Whether the network in the binary ranks the best hits once more. Only if the provider is `builtin`.
  bool second_look = true;

  bool makes_vectors() const { return choice.provider != EmbeddingProvider::disabled; }
};

enum class SummaryProvider { disabled, ollama, openai, client };
std::string_view to_string(SummaryProvider provider);
using SummaryModelChoice = ModelChoice<SummaryProvider>;

// The language models that write summaries, and the limits on their use; see docs/summaries.md.
struct SummariesConfig : ModelServerConfig {
  SummariesConfig() { timeout_ms = 120'000; }

  SummaryModelChoice choice;
  std::vector<SummaryModelChoice> fallbacks;  // tried in this order when the preferred model cannot be used
  bool has_served_model() const;              // true if ollama or openai serves one, so that no client is needed
  int max_parallel = 2;                       // concurrent requests
  int context_tokens = 8192;                  // of a request and its answer together
  int max_tokens = 1500;                      // limit for a summary, whatever a caller requests
  std::int64_t daily_requests = 200;          // per day in UTC; 0: no limit
  std::int64_t daily_tokens = 1'000'000;      // of requests and answers, per day in UTC; 0: no limit
};

}  // namespace memd

// Read the sections of the configuration file that choose models. Refuse as Section does; a served provider is refused
// when memd was built without MEMD_WITH_MODELS.
namespace memd::config {

EmbeddingConfig read_embedding(const std::string& file, const YAML::Node& node);
SummariesConfig read_summaries(const std::string& file, const YAML::Node& node);

}  // namespace memd::config
