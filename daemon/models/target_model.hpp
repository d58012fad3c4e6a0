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

// Whose vectors are made now: the preferred model, or a fallback when that one cannot be used. A model that has worked
// is not given up for a short failure, for another one means that everything is embedded anew. One thread.
class TargetModel {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Now = std::function<Time()>;
  static constexpr std::chrono::minutes kPatience{10};  // with a model that has worked
  static constexpr std::chrono::minutes kLookBack{30};  // between looks whether a better one is back

  TargetModel(std::shared_ptr<const embedding::Models> models, Now now);

  bool disabled() const { return models_->choices.empty(); }
  bool has_chosen() const { return current_.has_value(); }
  // Null when disabled. Errors: none can be used now (unavailable, with the preferred one's reason), cancelled. Asks a
  // remote model for one vector before it is taken.
  Result<const embedding::ModelChoice*> choose(const EmbeddingModels& stored, std::stop_token stop);
  // The chosen one failed to embed, and not because of the text.
  void failed();
  void succeeded() { failing_since_.reset(); }
  // After an error: when to try again.
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
