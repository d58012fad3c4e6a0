#include "store/search/words/exchange_places.hpp"

namespace memd::search {

const ExchangePlace* ExchangePlaces::find(ExchangeId id) {
  const auto [at, fresh] = known_.try_emplace(id);
  Known& known = at->second;
  if (fresh) {
    // Left to itself SQLite goes to the row.
    auto& q = db_.prepare(
                     "SELECT session_pk, exchange_number, started_at, content_hash FROM exchanges"
                     " INDEXED BY exchanges_by_pk WHERE exchange_pk = ?1")
                  .bind(id);
    known.exists = q.step();
    if (known.exists) known.place = {q.int64(0), q.int64(1), q.int64(2), q.int64(3)};
    q.reset();
  }
  return known.exists ? &known.place : nullptr;
}

}  // namespace memd::search
