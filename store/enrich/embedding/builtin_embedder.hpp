#pragma once

#include "store/enrich/embedding/embedder.hpp"
#include "store/enrich/embedding/static_model.hpp"

namespace memd::embedding {

// The model in the binary. Its name, "builtin/<name>-<hash>", changes with it: vectors of another one are not mixed in.
class BuiltinEmbedder : public Embedder {
 public:
  BuiltinEmbedder();
  explicit BuiltinEmbedder(StaticModel model, std::string name) : name_(std::move(name)), model_(std::move(model)) {}

  ModelId model() const override { return {name_, model_.dimension()}; }
  Result<std::vector<Vector>> embed(std::span<const std::string_view> texts, Purpose purpose,
                                    std::stop_token stop) override;

  const StaticModel& table() const { return model_; }

 private:
  std::string name_;
  StaticModel model_;
};

// The one of this process, made when first asked for (a millisecond).
BuiltinEmbedder& builtin_embedder();

}  // namespace memd::embedding
