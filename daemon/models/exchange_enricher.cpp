#include "daemon/models/exchange_enricher.hpp"

#include "schemas/base/error.hpp"
#include "store/db/database.hpp"
#include "store/enrich/enrichment.hpp"
#include "store/enrich/topics/topic_extractor.hpp"
#include "store/text/code_names.hpp"

#include <algorithm>
#include <future>
#include <utility>

namespace memd {
namespace {

class StoreTerms final : public TermExtractor {
 public:
  StoreTerms(const std::filesystem::path& database, std::shared_ptr<embedding::Embedder> embedder)
      : db_(sqlite::Database::open(database, sqlite::OpenMode::read_only_in_background)),
        embedder_(std::move(embedder)),
        topics_(db_, embedder_.get()) {}

  int version() const override { return 2; }

  Result<ExchangeTerms> extract(const PendingExchange& exchange) override {
    return sqlite::guard([&] {
      const sqlite::Snapshot snapshot(db_);
      ExchangeTerms out;
      out.identifiers = enrichment::extract_identifiers(exchange);
      out.topics = topics_.extract(exchange);
      return out;
    });
  }

 private:
  sqlite::Database db_;
  std::shared_ptr<embedding::Embedder> embedder_;
  topics::TopicExtractor topics_;
};

constexpr std::size_t kLeastExchanges = 8;
constexpr std::size_t kRemoteExchanges = 8;  // each may need many requests
constexpr int kUnsettledAtMost = 64;         // sessions that may be written at the same time
constexpr int kDropAtOnce = 500;
constexpr std::size_t kMostRemembered = 4096;  // unsettled exchanges

}  // namespace

std::unique_ptr<TermExtractor> make_store_terms(const std::filesystem::path& database,
                                                std::shared_ptr<embedding::Embedder> embedder) {
  return std::make_unique<StoreTerms>(database, std::move(embedder));
}

bool ExchangeDebouncer::settled(ExchangeId id, TimeMs quiet_since, TimeMs now, const Limits& limits) {
  // A time in the future comes from a wrong agent or clock and causes no wait.
  const bool is_quiet = now - quiet_since >= limits.quiet || quiet_since > now;
  const auto it = first_seen_.find(id);
  const TimeMs first = it == first_seen_.end() ? now : it->second;
  if (is_quiet || now - first >= limits.most || now < first) {
    if (it != first_seen_.end()) first_seen_.erase(it);
    return true;
  }
  if (it == first_seen_.end()) {
    if (first_seen_.size() >= kMostRemembered) first_seen_.clear();
    first_seen_.emplace(id, now);
  }
  const TimeMs due = std::min(quiet_since + limits.quiet, first + limits.most);
  next_ = next_ ? std::min(*next_, due) : due;
  return false;
}

ExchangeEnricher::ExchangeEnricher(const EnrichmentParts& parts, const Clock& clock, const EnrichmentOptions& options,
                                   Listener& listener)
    : parts_(parts),
      clock_(clock),
      options_(options),
      listener_(listener),
      store_(Reader::in_background(parts.database)),
      models_(parts.models()),
      target_(models_, options.steady_now),
      batch_(options.in_background ? std::min<std::size_t>(32, options.most_exchanges) : options.most_exchanges) {}

Result<bool> ExchangeEnricher::take_batch(bool include_unsettled, const std::stop_token& stop) {
  if (!terms_ && parts_.terms) {
    MEMD_TRY_ASSIGN(terms_, sqlite::guard([this] { return parts_.terms(parts_.database); }));
  }
  if (!stored_target_) MEMD_TRY(tell_store({"", terms_ ? terms_->version() : 0}));
  MEMD_TRY_ASSIGN(const EmbeddingModels stored, store_.ask(EmbeddingModelsQuery{}));
  MEMD_TRY(choose_model(stored, stop));
  MEMD_TRY_ASSIGN(const auto batch, next_batch(include_unsettled));
  if (batch.empty()) {
    MEMD_TRY(drop_replaced_vectors(stop));
    return false;
  }
  MEMD_TRY(enrich(batch, stop));
  return true;
}

// Loads the next batch. Terms never wait for a server: with a remote model, exchanges that lack only vectors come last.
Result<std::vector<PendingExchange>> ExchangeEnricher::next_batch(bool include_unsettled) {
  const bool local = model_ != nullptr && model_->remote == nullptr;
  const int limit = static_cast<int>(batch_) + (include_unsettled ? 0 : kUnsettledAtMost);
  const unsigned missing = local ? kMissingTerms | kMissingVectors : kMissingTerms;
  MEMD_TRY_ASSIGN(auto pending, store_.ask(PendingEnrichmentQuery{missing, limit}));
  auto batch = settled_of(std::move(pending), include_unsettled);
  if (!batch.empty() || !asks_server()) return batch;
  MEMD_TRY_ASSIGN(pending, store_.ask(PendingEnrichmentQuery{kMissingVectors, limit}));
  batch = settled_of(std::move(pending), include_unsettled);
  if (batch.size() > kRemoteExchanges) batch.resize(kRemoteExchanges);
  return batch;
}

Result<void> ExchangeEnricher::tell_store(EnrichmentTarget target) {
  MEMD_TRY(parts_.perform([target](Writer& writer) {
    return writer.transact([&](sqlite::Database& db) { enrichment::set_target(db, target); });
  }));
  stored_target_ = std::move(target);
  return {};
}

// Chooses the model. Sends no request while there is nothing to embed.
Result<void> ExchangeEnricher::choose_model(const EmbeddingModels& stored, const std::stop_token& stop) {
  model_ = nullptr;
  const bool is_settled = stored.complete && !stored.target.empty() &&
                          (target_.disabled() || target_.has_chosen() || stored.target == models_->names().front());
  if (is_settled || target_.disabled()) {
    listener_.on_trouble_over();
    return {};
  }
  auto chosen = target_.choose(stored, stop);
  if (!chosen) {
    if (chosen.error().is(Errc::cancelled)) return chosen.error();
    listener_.on_trouble(chosen.error(), target_.retry_at());
    return {};
  }
  model_ = *chosen;
  EnrichmentTarget target{model_->embedder->model().name, stored_target_->terms_version};
  listener_.on_model(target.model);
  listener_.on_trouble_over();
  if (stored_target_ == target) return {};
  tidy_ = false;
  return tell_store(std::move(target));
}

std::vector<PendingExchange> ExchangeEnricher::settled_of(std::vector<PendingExchange> pending,
                                                          bool include_unsettled) {
  const TimeMs now = clock_.now();
  if (!include_unsettled)
    std::erase_if(pending, [&](const PendingExchange& e) {
      const bool terms = (e.missing & kMissingTerms) != 0;
      return !debouncer_.settled(e.id, e.ended_at, now, asks_server() && !terms ? options_.remote : options_.local);
    });
  if (pending.size() > batch_) pending.resize(batch_);
  return pending;
}

Result<void> ExchangeEnricher::enrich(const std::vector<PendingExchange>& batch, const std::stop_token& stop) {
  std::vector<Enrichment> made(batch.size());
  for (std::size_t i = 0; i < batch.size(); ++i) {
    made[i].id = batch[i].id;
    made[i].revision = batch[i].revision;
  }
  const bool terms_come_first = asks_server() && (batch.front().missing & kMissingTerms) != 0;
  if (model_ == nullptr || terms_come_first) {
    MEMD_TRY(add_terms(batch, made));
    return write(std::move(made));
  }
  std::vector<const PendingExchange*> without;
  std::vector<ExchangeId> ids;
  for (const PendingExchange& exchange : batch) {
    if ((exchange.missing & kMissingVectors) == 0) continue;
    without.push_back(&exchange);
    ids.push_back(exchange.id);
  }
  MEMD_TRY_ASSIGN(const auto stored, store_.ask(ExchangeVectorsQuery{ids, model_->embedder->model().name}));
  const auto make_vectors = [&] { return vectors_.make(*model_, without, stored, stop); };
  auto vectors = std::async(options_.in_background ? std::launch::deferred : std::launch::async, make_vectors);
  MEMD_TRY(add_terms(batch, made));
  MEMD_TRY(add_vectors(vectors.get(), batch, made));
  return write(std::move(made));
}

Result<void> ExchangeEnricher::add_terms(const std::vector<PendingExchange>& batch, std::vector<Enrichment>& made) {
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if ((batch[i].missing & kMissingTerms) == 0) continue;
    auto& terms = made[i].terms.emplace();
    if (!terms_) continue;
    MEMD_TRY_ASSIGN(terms, terms_->extract(batch[i]));
  }
  return {};
}

Result<void> ExchangeEnricher::add_vectors(Result<std::vector<ExchangeVectors>> vectors,
                                           const std::vector<PendingExchange>& batch, std::vector<Enrichment>& made) {
  listener_.on_texts(vectors_.texts_embedded(), vectors_.texts_refused());
  if (!vectors) {
    if (vectors.error().is(Errc::cancelled) || model_->remote == nullptr) return vectors.error();
    // The model is checked again later; the terms of the batch are stored.
    target_.failed();
    listener_.on_trouble(vectors.error(), target_.retry_at());
    return {};
  }
  target_.succeeded();
  auto next = vectors->begin();
  for (std::size_t i = 0; i < batch.size(); ++i)
    if ((batch[i].missing & kMissingVectors) != 0) made[i].vectors = std::move(*next++);
  return {};
}

Result<void> ExchangeEnricher::write(std::vector<Enrichment> made) {
  std::erase_if(made, [](const Enrichment& e) { return !e.terms && !e.vectors; });
  if (made.empty()) return {};
  struct Shared {
    std::vector<Enrichment> made;
    std::chrono::nanoseconds held{0};
  };
  const auto shared = std::make_shared<Shared>();
  shared->made = std::move(made);
  MEMD_TRY(parts_.perform([shared](Writer& writer) {
    const auto began = std::chrono::steady_clock::now();
    auto stored = writer.transact([&](sqlite::Database& db) { enrichment::save(db, shared->made); });
    shared->held = std::chrono::steady_clock::now() - began;
    return stored;
  }));
  const std::size_t count = shared->made.size();
  adapt(shared->held, count);
  written_ += count;
  const auto finished = std::count_if(shared->made.begin(), shared->made.end(),
                                      [this](const Enrichment& e) { return e.vectors || target_.disabled(); });
  listener_.on_exchanges(static_cast<std::uint64_t>(finished));
  return {};
}

// Adapts the batch size so that one batch occupies the writer for about options_.hold. While somebody waits, batches
// are as large as they may be: each commit writes pages again that the one before has written.
void ExchangeEnricher::adapt(std::chrono::nanoseconds held, std::size_t exchanges) {
  if (!options_.in_background) return;
  if (held > options_.hold)
    batch_ = std::max(batch_ / 2, kLeastExchanges);
  else if (held * 2 < options_.hold && exchanges >= batch_)
    batch_ = std::min(batch_ * 2, options_.most_exchanges);
}

// Drops the vectors of models that are no longer configured, once the queue is empty. Vectors of configured models stay
// for later use.
Result<void> ExchangeEnricher::drop_replaced_vectors(const std::stop_token& stop) {
  if (tidy_ || target_.disabled()) return {};
  MEMD_TRY_ASSIGN(const EmbeddingModels stored, store_.ask(EmbeddingModelsQuery{}));
  const auto keep = models_->names();
  if (!stored.complete || std::find(keep.begin(), keep.end(), stored.target) == keep.end()) return {};
  const auto dropped = std::make_shared<std::int64_t>(1);
  while (*dropped > 0 && !stop.stop_requested())
    MEMD_TRY(parts_.perform([keep, dropped](Writer& writer) -> Result<void> {
      const auto drop = [&](sqlite::Database& db) { return enrichment::drop_other_vectors(db, keep, kDropAtOnce); };
      MEMD_TRY_ASSIGN(*dropped, writer.transact(drop));
      return {};
    }));
  tidy_ = true;
  return {};
}

}  // namespace memd
