#pragma once

#include "daemon/config/embedding_config.hpp"
#include "daemon/models/http_embedder.hpp"
#include "store/enrich/embedding/embedder.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace memd::embedding {

struct ModelChoice {
  std::shared_ptr<Embedder> embedder;
  std::shared_ptr<HttpEmbedder> remote;  // the same one, if it is asked over a network; null: works in this process
};

// The models of a process. Constant after construction.
struct Models {
  std::vector<ModelChoice> choices;  // that may make vectors, the preferred one first; empty: no vectors are used
  std::shared_ptr<Embedder>
      builtin;  // embeds questions to vectors it made before another model was chosen; may be null

  // By its name; null when this process cannot ask it.
  std::shared_ptr<Embedder> find(std::string_view name) const;
  std::vector<std::string> names() const;  // of `choices`
};

// Asks nobody anything yet.
std::shared_ptr<const Models> make_models(const EmbeddingConfig& config);

}  // namespace memd::embedding
