#include "daemon/models/embedding_models.hpp"

#include "schemas/base/error.hpp"
#include "store/enrich/embedding/embedder.hpp"
#include "store/enrich/embedding/sentence_network.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace memd::embedding {
namespace {

std::shared_ptr<Embedder> builtin() {
  // The embedder has static storage, so nothing is owned.
  return {std::shared_ptr<void>(), &builtin_embedder()};
}

// Returns the network of this process, made on first use, or why it cannot be used.
const Result<std::shared_ptr<Embedder>>& builtin_network() {
  static const auto network = []() -> Result<std::shared_ptr<Embedder>> {
    MEMD_TRY_ASSIGN(BuiltinNetwork loaded, BuiltinNetwork::load());
    return std::make_shared<BuiltinNetwork>(std::move(loaded));
  }();
  return network;
}

}  // namespace

std::shared_ptr<Embedder> Models::find(std::string_view name) const {
  for (const auto& choice : choices)
    if (choice.embedder->model().name == name) return choice.embedder;
  return builtin && builtin->model().name == name ? builtin : nullptr;
}

std::vector<std::string> Models::names() const {
  std::vector<std::string> out;
  for (const auto& choice : choices)
    out.push_back(choice.embedder->model().name);
  return out;
}

std::shared_ptr<const Models> make_models(const EmbeddingConfig& config) {
  auto out = std::make_shared<Models>();
  if (!config.makes_vectors()) return out;
  out->builtin = builtin();
  // What it gains was measured beside the built-in model only.
  if (config.second_look && config.choice.provider == EmbeddingProvider::builtin) {
    if (const auto& network = builtin_network())
      out->second_look = *network;
    else
      out->second_look_missing = network.error().message();
  }
  ModelClients clients;
  const auto add = [&](const EmbeddingModelChoice& choice) {
    if (choice.provider == EmbeddingProvider::builtin) {
      out->choices.push_back({out->builtin, nullptr});
      return;
    }
    auto remote = clients.embedder(config, choice);
    out->choices.push_back({remote, remote});
  };
  add(config.choice);
  for (const auto& fallback : config.fallbacks)
    add(fallback);
  return out;
}

}  // namespace memd::embedding

namespace memd {
namespace {

constexpr std::chrono::seconds kRetry{30};

const EmbeddingModelRow* row_of(const EmbeddingModels& stored, const std::string& name) {
  const auto it =
      std::find_if(stored.models.begin(), stored.models.end(), [&](const auto& row) { return row.name == name; });
  return it == stored.models.end() ? nullptr : &*it;
}

}  // namespace

TargetModel::TargetModel(std::shared_ptr<const embedding::Models> models, Now now)
    : models_(std::move(models)), now_(std::move(now)) {}

Result<const embedding::ModelChoice*> TargetModel::choose(const EmbeddingModels& stored, std::stop_token stop) {
  const auto& choices = models_->choices;
  if (choices.empty()) return nullptr;
  const bool look_back = current_ && *current_ > 0 && now_() >= look_back_at_;
  if (current_ && !suspect_ && !look_back) return &choices[*current_];
  std::optional<Error> first_error;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    auto usable = probe(choices[i], stored, stop);
    if (usable) {
      if (i > 0) look_back_at_ = now_() + kLookBack;
      if (current_ != i) failing_since_.reset();
      current_ = i;
      suspect_ = false;
      return &choices[i];
    }
    if (usable.error().is(Errc::cancelled)) return usable.error();
    if (!first_error) first_error = usable.error();
    if (is_worth_waiting_for(choices[i], stored)) {
      if (!failing_since_) failing_since_ = now_();
      if (now_() - *failing_since_ < kPatience) break;
    }
  }
  current_.reset();
  return std::move(*first_error);
}

Result<void> TargetModel::probe(const embedding::ModelChoice& choice, const EmbeddingModels& stored,
                                const std::stop_token& stop) {
  if (choice.remote == nullptr) return {};
  if (const auto* row = row_of(stored, choice.embedder->model().name)) choice.remote->expect_dimension(row->dimension);
  const std::array<std::string_view, 1> text{"memory"};
  MEMD_TRY(choice.embedder->embed(text, embedding::Purpose::document, stop));
  return {};
}

// True for the store's current target model, if some exchanges already have its vectors.
bool TargetModel::is_worth_waiting_for(const embedding::ModelChoice& choice, const EmbeddingModels& stored) const {
  const std::string name = choice.embedder->model().name;
  const auto* row = row_of(stored, name);
  return row != nullptr && row->exchanges > 0 && stored.target == name;
}

void TargetModel::failed() {
  suspect_ = true;
  if (!failing_since_) failing_since_ = now_();
}

TargetModel::Time TargetModel::retry_at() const {
  std::optional<Time> first;
  for (const auto& choice : models_->choices)
    if (choice.remote != nullptr)
      if (const auto open = choice.remote->left_alone()) first = first ? std::min(*first, open->until) : open->until;
  return first.value_or(now_() + kRetry);
}

}  // namespace memd
