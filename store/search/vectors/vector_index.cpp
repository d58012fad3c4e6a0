#include "store/search/vectors/vector_index.hpp"

#include "store/db/database.hpp"
#include "store/search/vectors/snapshot_scan.hpp"
#include "store/search/vectors/vector_snapshot.hpp"

#include <algorithm>
#include <mutex>

namespace memd::vectors {
namespace {

struct StoredModel {
  std::int64_t pk = 0;  // 0: there is none
  std::size_t dimension = 0;
  std::int64_t exchanges = 0;
  std::int64_t last = 0;  // the highest vector_pk ever assigned, for any model
};

StoredModel stored_model(sqlite::Database& db, const std::string& name) {
  const auto row = db.query(
                         "SELECT m.model_pk, m.dimension, m.exchanges,"
                         " (SELECT seq FROM sqlite_sequence WHERE name = 'vectors')"
                         " FROM (SELECT ? AS name) LEFT JOIN vector_models m USING (name)",
                         name)
                       .row();
  const StoredModel out{row->int64(0), static_cast<std::size_t>(row->int64(1)), row->int64(2), row->int64(3)};
  return out;
}

void load(sqlite::Database& db, std::int64_t model, SnapshotBuilder& builder) {
  auto& q = db.query("SELECT exchange_pk, vectors FROM vectors WHERE model_pk = ? AND vector_pk > ?", model,
                     builder.so_far().last_seen);
  while (q.step()) {
    const std::string_view codes = q.blob(1);
    builder.put(q.int64(0), {reinterpret_cast<const std::int8_t*>(codes.data()), codes.size()});
  }
  builder.apply();
}

// Drops the exchanges that are no longer in the table.
void drop_vanished(sqlite::Database& db, std::int64_t model, SnapshotBuilder& builder) {
  std::vector<ExchangeId> held;
  held.reserve(builder.so_far().table.size());
  builder.so_far().table.for_each([&](ExchangeId id, RowRange) { held.push_back(id); });
  auto& q = db.query("SELECT exchange_pk FROM vectors WHERE model_pk = ? ORDER BY exchange_pk", model);
  auto at = held.begin();
  while (q.step())
    for (const ExchangeId stored = q.int64(0); at != held.end() && *at <= stored; ++at)
      if (*at < stored) builder.drop(*at);
  for (; at != held.end(); ++at)
    builder.drop(*at);
}

StoredCodes codes_in(sqlite::Database& db, std::int64_t model) {
  return [&db, model](ExchangeId exchange, std::vector<std::int8_t>& out) {
    if (const auto row =
            db.query("SELECT vectors FROM vectors WHERE exchange_pk = ?1 AND model_pk = ?2", exchange, model).row()) {
      const std::string_view codes = row->blob(0);
      const auto* const first = reinterpret_cast<const std::int8_t*>(codes.data());
      out.assign(first, first + codes.size());
    }
  };
}

// Deleted exchanges are tolerated up to one in kVanishedShare, because finding them reads a whole index. Loading a hit
// detects that it is gone. An index below kFewExchanges drops them at once.
constexpr std::int64_t kVanishedShare = 100;
constexpr std::int64_t kFewExchanges = 20'000;

bool too_many_vanished(std::int64_t held, std::int64_t stored) {
  return held > stored && (held < kFewExchanges || (held - stored) * kVanishedShare > held);
}

}  // namespace

struct VectorIndex::State {
  State(std::string name, SnapshotTuning how) : model(std::move(name)), tuning(how) {}

  std::shared_ptr<const Snapshot> current() const {
    const std::lock_guard lock(publishing);
    return snapshot;
  }
  void publish(Snapshot next) {
    auto shared = std::make_shared<const Snapshot>(std::move(next));
    const std::lock_guard lock(publishing);
    snapshot.swap(shared);
  }

  const std::string model;
  const SnapshotTuning tuning;
  std::mutex refreshing;
  mutable std::mutex publishing;  // held only to copy or swap the pointer
  std::shared_ptr<const Snapshot> snapshot = std::make_shared<const Snapshot>();
};

VectorIndex::VectorIndex(std::string model, SnapshotTuning tuning)
    : state_(std::make_unique<State>(std::move(model), tuning)) {}
VectorIndex::~VectorIndex() = default;

void VectorIndex::refresh(sqlite::Database& db) {
  const sqlite::Snapshot transaction(db);
  const StoredModel stored = stored_model(db, state_->model);
  const std::lock_guard lock(state_->refreshing);
  const auto current = state_->current();
  // Another reader has already loaded a newer state than this transaction sees.
  if (stored.last < current->last_seen) return;
  const bool same = stored.pk == current->model && stored.dimension == current->dimension;
  const auto held = static_cast<std::int64_t>(current->table.size());
  if (same && stored.last == current->last_seen && !too_many_vanished(held, stored.exchanges)) return;
  if (stored.pk == 0) return state_->publish({});

  const StoredCodes codes = codes_in(db, stored.pk);
  SnapshotBuilder builder(same ? *current : Snapshot{}, state_->tuning, &codes);
  if (!same) builder.start(stored.pk, stored.dimension);
  load(db, stored.pk, builder);
  if (too_many_vanished(static_cast<std::int64_t>(builder.so_far().table.size()), stored.exchanges))
    drop_vanished(db, stored.pk, builder);
  builder.seen(stored.last);
  state_->publish(builder.finish());
}

std::vector<ScanResult> VectorIndex::scan_all(sqlite::Database& db, std::vector<ScanRequest> requests) const {
  const auto current = state_->current();
  const StoredCodes codes = codes_in(db, current->model);
  for (ScanRequest& request : requests)
    request.stored = &codes;
  return vectors::scan_all(*current, requests);
}

std::size_t VectorIndex::memory() const {
  const auto current = state_->current();
  const std::size_t sketch = current->centre ? current->words * sizeof(std::uint64_t) + sizeof(SketchShape) : 0;
  std::size_t out = current->table.memory();
  for (const Segment& s : current->segments)
    out += s.rows * ((s.codes ? current->stride : 0) + sketch + sizeof(ExchangeId) + sizeof(float));
  return out + (current->sample ? current->sample->codes.capacity() : 0);
}

}  // namespace memd::vectors
