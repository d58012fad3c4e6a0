#pragma once

#include "schemas/ids.hpp"
#include "schemas/memory.hpp"
#include "schemas/query.hpp"
#include "store/db/database.hpp"
#include "store/harvest/known_memories.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace memd::harvest {

// A part of the history that may become a memory; `promote` takes its id.
struct Suggestion {
  std::string id;  // "o99"
  ExchangeId exchange = 0;
  std::string session_uid;
  TimeMs time = 0;
  std::string project;
  double score = 0;
  std::vector<std::string> reasons;
  int told_again = 0;  // number of other sessions that stated the same
  Memory draft;        // including its title
};

// Returns the decisions, findings and fixes of the sessions that pass the filter, best first, without duplicates.
// Nothing below kSuggestFrom, at most two per exchange.
struct SuggestionsQuery {
  QueryFilter filter;
  std::filesystem::path project{};  // base of the drafts' relative paths

  using Answer = std::vector<Suggestion>;
  Answer run(sqlite::Database& db) const;
};

// Removes suggestions that a memory already covers; returns the best `most`.
std::vector<Suggestion> not_known(std::vector<Suggestion> all, const KnownMemories& known, std::size_t most);

// Two memories of a scope and dialect that may be related. `id` is "a+b", in the order of the slugs.
struct LinkSuggestion {
  std::string id;
  std::string source;
  std::string target;
  MemoryScope scope{};
  MemoryDialect dialect{};
  double score = 0;
  std::vector<std::string> reasons;  // "both name store/reader.cpp", "both come from session …"
};
// Returns pairs of memories without an edge between them, best first. Pure.
std::vector<LinkSuggestion> suggest_links(const std::vector<Memory>& memories, std::size_t most);

}  // namespace memd::harvest
