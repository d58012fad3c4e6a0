#pragma once

#include "daemon/models/embedding_models.hpp"
#include "schemas/enrichment.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace memd {

// Chooses the model whose vectors are made now: the preferred one, or a fallback when that cannot be used. Keeps a
// model that has worked through a short failure: changing it means to embed everything again. One thread.
class TargetModel {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Now = std::function<Time()>;
  static constexpr std::chrono::minutes kPatience{10};  // with a model that has worked
  static constexpr std::chrono::minutes kLookBack{30};  // between looks whether a better one is back

  TargetModel(std::shared_ptr<const embedding::Models> models, Now now);

  bool disabled() const { return models_->choices.empty(); }
  bool has_chosen() const { return current_.has_value(); }
  // Null when disabled. Asks a remote model for one vector before it is chosen. Errors: unavailable (no model can be
  // used now; the preferred one's reason), cancelled.
  Result<const embedding::ModelChoice*> choose(const EmbeddingModels& stored, std::stop_token stop);
  // The chosen model failed to embed, and not because of the text.
  void failed();
  void succeeded() { failing_since_.reset(); }
  // When to try again after an error.
  Time retry_at() const;

 private:
  Result<void> probe(const embedding::ModelChoice& choice, const EmbeddingModels& stored, const std::stop_token& stop);
  bool is_worth_waiting_for(const embedding::ModelChoice& choice, const EmbeddingModels& stored) const;

  const std::shared_ptr<const embedding::Models> models_;
  const Now now_;
  std::optional<std::size_t> current_;
  bool suspect_ = false;
  std::optional<Time> failing_since_;  // of the one in use, or of the preferred one
  Time look_back_at_{};
};

}  // namespace memd
