#pragma once

#include "daemon/config/model_config.hpp"
#include "daemon/models/model_clients.hpp"
#include "store/enrich/embedding/embedder.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace memd::embedding {

struct ModelChoice {
  std::shared_ptr<Embedder> embedder;
  std::shared_ptr<RemoteEmbedder> remote;  // the same object, if it is asked over a network; null: it works here
};

// The models of a process. Constant after construction, so any thread may read it.
struct Models {
  std::vector<ModelChoice> choices;  // that may make vectors, the preferred one first; empty: no vectors are used
  // Embeds questions to vectors it made before another model was chosen; may be null.
  std::shared_ptr<Embedder> builtin;

  // Finds a model by its name; null when this process cannot ask it.
  std::shared_ptr<Embedder> find(std::string_view name) const;
  std::vector<std::string> names() const;  // of `choices`
};

// Sends no request.
std::shared_ptr<const Models> make_models(const EmbeddingConfig& config);

}  // namespace memd::embedding
