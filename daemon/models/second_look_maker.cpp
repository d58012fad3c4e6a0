#include "daemon/models/second_look_maker.hpp"

#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"
#include "store/enrich/second_look.hpp"
#include "store/search/vectors/codes.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace memd {
namespace {

constexpr int kLooksAtOnce = 8;           // exchanges of a batch, each 20 to 50 ms of a core
constexpr int kRowsDroppedAtOnce = 1000;  // rows; a few ms of the writer

}  // namespace

SecondLookMaker::SecondLookMaker(const SecondLookParts& parts, const Clock& clock,
                                 ExchangeDebouncer::Limits settled_after)
    : parts_(parts),
      clock_(clock),
      settled_after_(settled_after),
      store_(Reader::in_background(parts.database)),
      network_(parts.network()),
      lacks_network_(parts.lacks_network && parts.lacks_network()) {}

Result<std::vector<PendingSecondLook>> SecondLookMaker::next_batch(bool include_unsettled,
                                                                   const std::stop_token& stop) {
  if (!store_knows_ && !lacks_network_) MEMD_TRY(tell_store(stop));
  std::vector<PendingSecondLook> batch;
  if (is_off()) return batch;
  const TimeMs now = clock_.now();
  SecondLookPendingQuery query{kLooksAtOnce};
  while (std::ssize(batch) < kLooksAtOnce) {
    MEMD_TRY_ASSIGN(auto pending, store_.ask(query));
    if (pending.empty()) break;
    query.below = pending.back().id;
    for (PendingSecondLook& e : pending)
      if (include_unsettled || debouncer_.settled(e.id, e.ended_at, now, settled_after_)) batch.push_back(std::move(e));
  }
  return batch;
}

Result<void> SecondLookMaker::make(const std::vector<PendingSecondLook>& batch, const std::stop_token& stop) {
  std::vector<SecondLookVector> made;
  std::vector<std::size_t> places;
  std::vector<std::string_view> texts;
  for (const PendingSecondLook& e : batch) {
    made.push_back({e.id, e.waiting, hash64(e.text), {}});
    if (e.text.empty() || e.text_hash == made.back().text_hash) continue;
    places.push_back(made.size() - 1);
    texts.push_back(e.text);
  }
  if (!texts.empty()) {
    MEMD_TRY_ASSIGN(const auto vectors, network_->embed(texts, embedding::Purpose::document, stop));
    for (std::size_t i = 0; i < places.size(); ++i)
      vectors::append_quantised(vectors[i], made[places[i]].vector);
  }
  return parts_.perform([made = std::move(made)](Writer& writer) {
    return writer.transact([&](sqlite::Database& db) { second_look::save(db, made); });
  });
}

Result<void> SecondLookMaker::tell_store(const std::stop_token& stop) {
  const std::string model = is_off() ? std::string() : network_->model().name;
  MEMD_TRY_ASSIGN(const auto stored, store_.ask(SecondLookBacklogQuery{}));
  if (stored.model != model)
    MEMD_TRY(parts_.perform([model](Writer& writer) {
      return writer.transact([&](sqlite::Database& db) { second_look::set_model(db, model); });
    }));
  if (is_off()) MEMD_TRY(drop_all(stop));
  store_knows_ = true;
  return {};
}

Result<void> SecondLookMaker::drop_all(const std::stop_token& stop) {
  const auto dropped = std::make_shared<std::int64_t>(1);
  while (*dropped > 0) {
    if (stop.stop_requested()) return Error(Errc::cancelled, "memd is stopping");
    MEMD_TRY(parts_.perform([dropped](Writer& writer) -> Result<void> {
      const auto drop = [](sqlite::Database& db) { return second_look::drop_some(db, kRowsDroppedAtOnce); };
      MEMD_TRY_ASSIGN(*dropped, writer.transact(drop));
      return {};
    }));
  }
  return {};
}

}  // namespace memd
