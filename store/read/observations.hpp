#pragma once

#include "schemas/ids.hpp"
#include "schemas/observation.hpp"
#include "schemas/query.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace memd {

struct PlacedObservation {
  Observation observation;
  ExchangeId exchange_id = 0;  // 0: it was seen in none
  ExchangeId reversed_by = 0;  // the exchange that took the decision back; 0: none did
};

struct ObservationRow : PlacedObservation {
  std::string session_uid;
  std::string session_title;
  Platform platform{};
  std::string project;  // name
};

struct ObservationList {
  std::vector<ObservationRow> observations;  // newest first
  std::int64_t total = 0;
};

// Observations that a filter lets through, a page of them, newest first.
struct ObservationListQuery {
  QueryFilter filter;                   // include_subagents false: of main sessions only
  std::optional<ObservationType> type;  // none: all
  int limit = 20;
  int offset = 0;

  using Answer = ObservationList;
  Answer run(sqlite::Database& db) const;
};

// Observations of one type, in the order of `ids` and of their events.
struct ObservationsOfQuery {
  std::span<const ExchangeId> ids;
  ObservationType type = ObservationType::decision;

  using Answer = std::vector<PlacedObservation>;
  Answer run(sqlite::Database& db) const;
};

// For other queries. Throws ErrorException.
namespace queries {

// Of the exchanges first ≤ number ≤ last, in order.
std::vector<Observation> observations_of(sqlite::Database& db, std::int64_t session_pk, std::int64_t first_number,
                                         std::int64_t last_number);

}  // namespace queries
}  // namespace memd
