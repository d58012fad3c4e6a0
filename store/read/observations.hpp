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
  ExchangeId exchange_id = 0;  // 0: it belongs to no exchange
  ExchangeId reversed_by = 0;  // the exchange that reversed the decision; 0: none
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

// Returns a page of the observations that match the filter, newest first.
struct ObservationListQuery {
  QueryFilter filter;                   // include_subagents false: main sessions only
  std::optional<ObservationType> type;  // none: all
  int limit = 20;
  int offset = 0;

  using Answer = ObservationList;
  Answer run(sqlite::Database& db) const;
};

// Loads observations of one type, in the order of `ids`, then of their events.
struct ObservationsOfQuery {
  std::span<const ExchangeId> ids;
  ObservationType type = ObservationType::decision;

  using Answer = std::vector<PlacedObservation>;
  Answer run(sqlite::Database& db) const;
};

// Used by other queries. Throws ErrorException. Connection thread.
namespace queries {

// Loads the observations of the exchanges with first ≤ number ≤ last, in order.
std::vector<Observation> observations_of(sqlite::Database& db, std::int64_t session_pk, std::int64_t first_number,
                                         std::int64_t last_number);

// Returns the exchanges with an observation of the type.
std::vector<ExchangeId> exchanges_observed(sqlite::Database& db, ObservationType type);

}  // namespace queries
}  // namespace memd
