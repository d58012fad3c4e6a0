#pragma once

#include "daemon/config/model_config.hpp"
#include "daemon/models/model_clients.hpp"
#include "schemas/enrichment.hpp"
#include "store/enrich/embedding/embedder.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace memd::embedding {

struct ModelChoice {
  std::shared_ptr<Embedder> embedder;
  std::shared_ptr<RemoteEmbedder> remote;  // the same object if it is a network client; null: it runs in this process
};

// The models of a process. Constant after construction, so any thread may read it.
struct Models {
  std::vector<ModelChoice> choices;  // may make vectors, the preferred one first; empty: no vectors
  // Embeds questions for vectors it made before another model was chosen; may be null.
  std::shared_ptr<Embedder> builtin;
  // The network whose vectors the best hits of a search are ranked with once more; null: it is off.
  std::shared_ptr<Embedder> second_look;
  std::string second_look_missing;  // why it is off although it is configured; empty: it is not

  // Returns the model of that name; null when this process cannot use it.
  std::shared_ptr<Embedder> find(std::string_view name) const;
  std::vector<std::string> names() const;  // of `choices`
};

// Makes the configured models. Sends no request.
std::shared_ptr<const Models> make_models(const EmbeddingConfig& config);

}  // namespace memd::embedding

namespace memd {

// Chooses the model that makes vectors now: the preferred one, or a fallback when that cannot be used. A model that has
// worked is kept through a short failure, because a change means to embed everything again. One thread.
class TargetModel {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Now = std::function<Time()>;
  static constexpr std::chrono::minutes kPatience{10};  // with a failing model that has worked before
  static constexpr std::chrono::minutes kLookBack{30};  // between checks whether a preferred model is available again

  TargetModel(std::shared_ptr<const embedding::Models> models, Now now);

  bool disabled() const { return models_->choices.empty(); }
  bool has_chosen() const { return current_.has_value(); }
  // Returns the chosen model; null when disabled. Before a remote model is chosen, it has to make one vector. Errors:
  // unavailable (no model can be used now; with the preferred one's reason), cancelled.
  Result<const embedding::ModelChoice*> choose(const EmbeddingModels& stored, std::stop_token stop);
  // Reports that the chosen model failed to embed, and not because of the text.
  void failed();
  void succeeded() { failing_since_.reset(); }
  // Returns when to try again after an error.
  Time retry_at() const;

 private:
  Result<void> probe(const embedding::ModelChoice& choice, const EmbeddingModels& stored, const std::stop_token& stop);
  bool is_worth_waiting_for(const embedding::ModelChoice& choice, const EmbeddingModels& stored) const;

  const std::shared_ptr<const embedding::Models> models_;
  const Now now_;
  std::optional<std::size_t> current_;
  bool suspect_ = false;
  std::optional<Time> failing_since_;  // of the model in use, else of the preferred one
  Time look_back_at_{};
};

}  // namespace memd
