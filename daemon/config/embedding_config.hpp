#pragma once

#include "daemon/config/model_choice.hpp"
#include "daemon/config/model_server_config.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace memd {

enum class EmbeddingProvider { builtin, ollama, openai, disabled };
std::string_view to_string(EmbeddingProvider provider);

using EmbeddingModelChoice = ModelChoice<EmbeddingProvider>;

// What makes vectors of texts; see docs/embedding.md.
struct EmbeddingConfig : ModelServerConfig {
  EmbeddingModelChoice choice;
  std::vector<EmbeddingModelChoice> fallbacks;  // in this order, when the one before cannot be used
  int batch_size = 16;                          // texts a request
  int query_timeout_ms = 1500;                  // for the text of a search
  std::optional<int> dimensions;                // shorter vectors, of models that can
};

}  // namespace memd
