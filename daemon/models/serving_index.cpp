#include "daemon/models/serving_index.hpp"

#include "schemas/base/error.hpp"
#include "schemas/base/utf8.hpp"
#include "store/enrich/embedding/token_match.hpp"
#include "store/enrich/enrichment.hpp"
#include "store/enrich/second_look.hpp"
#include "store/search/vectors/codes.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace memd::embedding {
namespace {

// A queue longer than this is not counted for every search.
constexpr std::int64_t kCheapToCount = 2000;
constexpr std::chrono::seconds kCountIsGood{1};
// Longer questions are pasted logs; their question is at the beginning.
constexpr std::size_t kLongestQuestion = 2000;

// Some thirty words. The network takes a millisecond for three, two to four times as long without AVX-512.
constexpr std::size_t kLongestForSecondLook = 160;

float cosine(const Vector& unit, std::span<const std::int8_t> codes) {
  return std::inner_product(codes.begin(), codes.end(), unit.begin(), 0.0F) * vectors::inverse_length(codes);
}

vectors::ScanResult nothing(const vectors::ScanRequest& request) {
  vectors::ScanResult out;
  out.also.assign(request.also.size(), std::numeric_limits<float>::quiet_NaN());
  return out;
}

}  // namespace

const EmbeddingModelRow* serving_model(const EmbeddingModels& stored, const Models& models) {
  if (models.choices.empty()) return nullptr;
  const EmbeddingModelRow* best = nullptr;
  for (const auto& row : stored.models) {
    if (row.exchanges == 0 || models.find(row.name) == nullptr) continue;
    const bool is_target = row.name == stored.target;
    if (is_target && stored.complete) return &row;
    if (best == nullptr || row.exchanges > best->exchanges || (row.exchanges == best->exchanges && is_target))
      best = &row;
  }
  return best;
}

ServingIndex::ServingIndex(std::filesystem::path database, GetModels models, GetTrouble trouble)
    : get_models_(std::move(models)), get_trouble_(std::move(trouble)), store_(std::move(database)) {}

Result<search::QueryVector> ServingIndex::embed(std::string_view question, std::stop_token stop) {
  const auto models = get_models_();
  if (models->choices.empty()) return Error(Errc::unavailable, "embedding is disabled in the configuration");
  const std::string text(utf8_prefix(question, kLongestQuestion));
  search::QueryVector out;
  out.text = text;
  int dimension = 0;
  {
    const std::lock_guard lock(mutex_);
    MEMD_TRY_ASSIGN(const EmbeddingModels stored, store_.ask(EmbeddingModelsQuery{}));
    const EmbeddingModelRow* serving = serving_model(stored, *models);
    if (serving == nullptr) {
      const std::string why = get_trouble_ ? get_trouble_() : std::string();
      return Error(Errc::unavailable, why.empty() ? "no turn has vectors yet" : "no vectors can be made: " + why);
    }
    out.model = serving->name;
    dimension = serving->dimension;
  }
  const auto embedder = models->find(out.model);
  MEMD_TRY_ASSIGN(out.vector, question_vector(*embedder, dimension, text, stop));
  if (std::all_of(out.vector.begin(), out.vector.end(), [](float x) { return x == 0; })) out.vector.clear();
  return out;
}

// Returns the vector of a question, from the cache if it was asked before.
Result<Vector> ServingIndex::question_vector(Embedder& embedder, int dimension, const std::string& text,
                                             std::stop_token stop) {
  const std::string model = embedder.model().name;
  {
    const std::lock_guard lock(mutex_);
    if (auto known = questions_.find(model, text)) return std::move(*known);
  }
  const std::array<std::string_view, 1> texts{text};
  MEMD_TRY_ASSIGN(auto vectors, embedder.embed(texts, Purpose::query, stop));
  if (vectors.size() != 1 || vectors[0].size() != static_cast<std::size_t>(dimension))
    return Error(Errc::unavailable, model + " does not fit the vectors it made before");
  const std::lock_guard lock(mutex_);
  questions_.put(model, text, vectors[0]);
  return std::move(vectors[0]);
}

// Returns the index of the model, loading it first if another model's is in memory.
std::shared_ptr<vectors::VectorIndex> ServingIndex::index_of(const std::string& model) {
  const std::lock_guard lock(mutex_);
  if (!index_ || loaded_ != model) {
    index_ = std::make_shared<vectors::VectorIndex>(model);
    loaded_ = model;
  }
  return index_;  // a running scan keeps the old index alive
}

vectors::ScanResult ServingIndex::scan(sqlite::Database& db, const search::QueryVector& question,
                                       vectors::ScanRequest request) {
  const search::QueryVector* const one[] = {&question};
  return std::move(scan_all(db, one, request).front());
}

std::vector<vectors::ScanResult> ServingIndex::scan_all(sqlite::Database& db,
                                                        std::span<const search::QueryVector* const> questions,
                                                        const vectors::ScanRequest& request) {
  std::vector<vectors::ScanResult> none(questions.size(), nothing(request));
  const auto asked = std::ranges::find_if(questions, [](const auto* q) { return !q->vector.empty(); });
  if (asked == questions.end()) return none;
  const std::string& model = (*asked)->model;
  const auto models = get_models_();
  const EmbeddingModels stored = EmbeddingModelsQuery{}.run(db);
  // The store may have changed to another model after the questions were embedded.
  const EmbeddingModelRow* serving = serving_model(stored, *models);
  if (serving == nullptr || serving->name != model) return none;
  const auto index = index_of(model);
  index->refresh(db);
  std::vector<vectors::ScanRequest> requests(questions.size(), request);
  for (std::size_t i = 0; i < questions.size(); ++i) {
    // An empty query matches nothing.
    requests[i].query =
        questions[i]->model == model ? std::span<const float>(questions[i]->vector) : std::span<const float>();
  }
  return index->scan_all(db, std::move(requests));
}

search::SemanticState ServingIndex::state(sqlite::Database& db) {
  search::SemanticState out;
  const auto models = get_models_();
  if (models->choices.empty()) return out;
  const EmbeddingModels stored = EmbeddingModelsQuery{}.run(db);
  const EmbeddingModelRow* serving = serving_model(stored, *models);
  const std::string target = stored.target.empty() ? models->names().front() : stored.target;
  out.model = serving == nullptr ? target : serving->name;
  if (serving != nullptr) out.exchanges = serving->exchanges;
  if (target != out.model) out.next_model = target;
  if (!stored.complete) out.pending = count_pending(db);
  if (get_trouble_) out.trouble = get_trouble_();
  return out;
}

std::unique_ptr<search::TokenComparison> ServingIndex::by_tokens(const search::QueryVector& question) {
  const BuiltinEmbedder& builtin = builtin_embedder();
  if (question.model != builtin.model().name) return nullptr;
  return std::make_unique<TokenMatch>(builtin.table(), question.text);
}

std::vector<float> ServingIndex::second_look(sqlite::Database& db, const search::QueryVector& question,
                                             std::span<const ExchangeId> ids) {
  const auto network = get_models_()->second_look;
  if (!network) return {};
  const auto [name, dimension] = network->model();
  const auto stored = SecondLookVectorsQuery{ids, name}.run(db);
  std::vector<float> out(ids.size(), std::numeric_limits<float>::quiet_NaN());
  if (std::ranges::all_of(stored, &std::vector<std::int8_t>::empty)) return out;
  const std::string text(utf8_prefix(question.text, kLongestForSecondLook));
  const auto asked = question_vector(*network, dimension, text, {});
  if (!asked) return {};
  for (std::size_t i = 0; i < out.size(); ++i)
    if (stored[i].size() == asked->size()) out[i] = cosine(*asked, stored[i]);
  return out;
}

std::int64_t ServingIndex::count_pending(sqlite::Database& db) {
  const auto now = std::chrono::steady_clock::now();
  const std::lock_guard lock(mutex_);
  if (pending_ > kCheapToCount && now - counted_at_ < kCountIsGood) return pending_;
  pending_ = EnrichmentBacklogQuery{}.run(db).vectors;
  counted_at_ = now;
  return pending_;
}

std::size_t ServingIndex::memory() const {
  const std::lock_guard lock(mutex_);
  return index_ ? index_->memory() : 0;
}

}  // namespace memd::embedding
