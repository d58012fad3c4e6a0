#pragma once

#include "schemas/base/timestamp.hpp"
#include "schemas/ids.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memd {

// What a person said to agents in several sessions of a project: a rule, a request or a refusal.
struct StandingLine {
  std::string text;           // as it was said last
  std::int64_t sessions = 0;  // in which it was said
  TimeMs last = 0;
  ExchangeId exchange = 0;  // where it was said last
};

// Finds the standing lines of a project, those of most sessions first, newer ones first. Lines that share most of their
// words are the same. A line that was said with and without a negation counts as it was said last. Of tests and lint a
// line counts from three sessions on, because sessions are told what failed just then.
struct StandingLinesQuery {
  std::string project;  // identity key
  TimeMs since = 0;     // older words do not count
  std::size_t limit = 3;

  using Answer = std::vector<StandingLine>;
  Answer run(sqlite::Database& db) const;
};

}  // namespace memd
