#pragma once

#include "schemas/base/result.hpp"
#include "schemas/exchange_name.hpp"
#include "schemas/exchange_row.hpp"
#include "schemas/ids.hpp"
#include "schemas/source.hpp"
#include "store/db/database.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

// Loads one exchange. Errc::not_found when the id does not exist.
struct ExchangeQuery {
  ExchangeId id = 0;

  using Answer = ExchangeRow;
  Answer run(sqlite::Database& db) const;
  Error without_store() const;
};

// Finds the id of an exchange by its name. Errc::not_found when this store does not have it.
struct NamedExchangeQuery {
  ExchangeName name;

  using Answer = ExchangeId;
  Answer run(sqlite::Database& db) const;
  Error without_store() const;
};

// Loads exchanges in the order of `ids`. Ids that do not exist are skipped.
struct ExchangesQuery {
  std::span<const ExchangeId> ids;

  using Answer = std::vector<ExchangeRow>;
  Answer run(sqlite::Database& db) const;
};

// Loads the last `count` exchanges of a session, oldest first.
struct LastExchangesQuery {
  std::int64_t session_pk = 0;
  int count = 0;

  using Answer = std::vector<ExchangeRow>;
  Answer run(sqlite::Database& db) const;
};

// Loads the exchanges of a session with first ≤ number ≤ last, oldest first.
struct ExchangeRangeQuery {
  std::int64_t session_pk = 0;
  std::int64_t first_number = 0;
  std::int64_t last_number = 0;

  // Selects exchange `number` and its neighbours. A negative count means none.
  static ExchangeRangeQuery around(std::int64_t session_pk, std::int64_t number, int before, int after) {
    return {session_pk, number - std::max(before, 0), number + std::max(after, 0)};
  }

  using Answer = std::vector<ExchangeRow>;
  Answer run(sqlite::Database& db) const;
};

// Lists the files that one exchange touched, sorted by path.
struct ExchangeFilesQuery {
  std::int64_t session_pk = 0;
  std::int64_t exchange_number = 0;

  using Answer = std::vector<ExchangeFile>;
  Answer run(sqlite::Database& db) const;
};

// Lists what came with the words of an exchange's prompts, in order: "[image: receipt.png, image/png] [file: a.csv]". A
// prompt without words has it as its text.
struct AttachmentsQuery {
  const ExchangeRow& exchange;

  using Answer = std::vector<std::string>;
  Answer run(sqlite::Database& db) const;
};

// Loads the events of a session with first ≤ seq ≤ last, in order, at most `limit`.
struct EventsQuery {
  std::int64_t session_pk = 0;
  std::int64_t first_seq = 0;
  std::int64_t last_seq = 0;
  std::int64_t limit = 1000;

  using Answer = std::vector<EventRow>;
  Answer run(sqlite::Database& db) const;
};

// Finds the source position of an event's record. Errc::not_found also when the event was stored without a source
// position.
struct EventSourceQuery {
  std::int64_t session_pk = 0;
  std::int64_t seq = 0;

  using Answer = EventSource;
  Answer run(sqlite::Database& db) const;
  Error without_store() const;
};

struct EventPlace {
  std::int64_t session_pk = 0;
  std::int64_t seq = 0;
};

// Finds an event by its id. Errc::not_found.
struct EventByIdQuery {
  std::uint64_t event_id = 0;

  using Answer = EventPlace;
  Answer run(sqlite::Database& db) const;
  Error without_store() const;
};

// Finds the source positions of many events, keyed by seq. Events without one are skipped.
struct EventSourcesQuery {
  std::int64_t session_pk = 0;
  std::vector<std::int64_t> seqs;

  using Answer = std::map<std::int64_t, EventSource>;
  Answer run(sqlite::Database& db) const;
};

namespace queries {

// Columns of `exchanges e` that read_head reads. They follow the title columns and kSessionHeadColumns.
inline constexpr std::string_view kExchangeHeadColumns = R"(, e.exchange_pk, e.exchange_number, e.started_at,
  (SELECT o.exchange_pk FROM abandoned_exchanges a JOIN exchanges o ON o.session_pk = a.session_pk
   AND o.exchange_number = a.abandoned_for
   WHERE a.session_pk = e.session_pk AND a.exchange_number = e.exchange_number))";
// Reads columns 0 to 9.
void read_head(const sqlite::Statement& q, ExchangeHead& head);

// Loads an exchange range without the two costly parts: tool_text, and the derived title of a session that has no
// stored one. Throws ErrorException.
std::vector<ExchangeRow> exchange_texts(sqlite::Database& db, std::int64_t session_pk, std::int64_t first_number,
                                        std::int64_t last_number);

}  // namespace queries
}  // namespace memd
