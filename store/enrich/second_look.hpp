#pragma once

#include "schemas/enrichment.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The vectors that search ranks its best hits with once more: one an exchange, of the beginning of its text, by the
// network of the second look. On the connection's thread; all functions throw ErrorException.

namespace memd {

// Returns the text of an exchange that its vector is made from: the beginnings of its prompt and of its final answer.
// Empty: it gets none.
// `answer_offset`: where the final answer starts in `response`; a damaged store may contain any value.
std::string second_look_text(std::string_view prompt, std::string_view response, std::int64_t answer_offset);

}  // namespace memd

namespace memd::second_look {

// Enqueues an exchange whose text changed. Does nothing while the second look is off.
void enqueue(sqlite::Database& db, ExchangeId id);

// Sets the network. Another one than before: deletes the vectors and enqueues all exchanges. Empty: turns the second
// look off; drop_some() then deletes its rows.
void set_model(sqlite::Database& db, std::string_view model);
// Deletes at most `limit` rows if the second look is off. Returns their number; 0: none are left.
std::int64_t drop_some(sqlite::Database& db, int limit);

// Stores the results. An exchange whose text changed since stays in the queue; its vector is stored all the same,
// because it is closer to the current text than the old one. Skips exchanges that no longer exist.
void save(sqlite::Database& db, std::span<const SecondLookVector> made);

// Deletes the vector of an exchange whose text was dropped.
void forget(sqlite::Database& db, ExchangeId id);

}  // namespace memd::second_look

namespace memd {

// Returns exchanges that wait for their vector, newest first, because these are queried most.
struct SecondLookPendingQuery {
  int limit = 0;
  ExchangeId below = std::numeric_limits<ExchangeId>::max();  // only exchanges with a smaller id

  using Answer = std::vector<PendingSecondLook>;
  Answer run(sqlite::Database& db) const;
};

// Returns the vectors of exchanges by one network, in the order of `ids`; empty where there is none.
struct SecondLookVectorsQuery {
  std::span<const ExchangeId> ids;
  std::string_view model;

  using Answer = std::vector<std::vector<std::int8_t>>;
  Answer run(sqlite::Database& db) const;
  Answer without_store() const { return Answer(ids.size()); }
};

struct SecondLookBacklogQuery {
  using Answer = SecondLookBacklog;
  Answer run(sqlite::Database& db) const;
};

}  // namespace memd
