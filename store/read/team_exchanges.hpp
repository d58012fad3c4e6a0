#pragma once

#include "schemas/exchange_row.hpp"
#include "schemas/share.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

// What a team's database gets of this store, and is asked. Its words are those of exchanges_fts, so that they mean the
// same there and here.
namespace memd {

struct ParsedQuery;

// Compares the exchanges of a session with what the database has of them. Evicted ones count as equal.
struct TeamExchangesQuery {
  std::string_view session_uid;
  const std::map<std::int64_t, std::int64_t>& hashes;    // by number
  const std::set<std::int64_t>* with_vectors = nullptr;  // numbers; null: no vectors are made
  std::function<TeamVectors(const ExchangeRow&)> vectors_of{};

  struct Answer {
    std::string title;
    std::vector<TeamExchange> changed;  // with their texts cut
    std::vector<TeamExchange> bare;     // equal, but without vectors there: number, time and vectors
    std::vector<std::int64_t> gone;     // numbers
  };
  Answer run(sqlite::Database& db) const;
};

// Compares the memories of a project, those of its own scope, with what the database has of them. What is private in
// them is not stored, and so not shared.
struct TeamMemoriesQuery {
  std::string_view project;
  std::string_view project_key;                      // as ShareRow
  const std::map<std::string, std::string>& hashes;  // by slug

  struct Answer {
    std::vector<TeamMemory> changed;  // with their texts cut
    std::vector<std::string> gone;    // slugs
  };
  Answer run(sqlite::Database& db) const;
};

// The words to ask a database for, as tsquery writes them; without stop words if there are others.
struct TeamWordsQuery {
  const ParsedQuery& asked;

  struct Answer {
    std::vector<std::string> words;
    std::vector<std::string> without;
  };
  Answer run(sqlite::Database& db) const;
};

// Of these sessions, those that this store has.
struct KnownSessionsQuery {
  const std::vector<std::string>& session_uids;

  using Answer = std::vector<std::string>;
  Answer run(sqlite::Database& db) const;
};

// Lists the shares in a scope, given as QueryFilter::project.
struct SharesInScopeQuery {
  std::string_view project;

  using Answer = std::vector<ShareRow>;
  Answer run(sqlite::Database& db) const;
};

}  // namespace memd
