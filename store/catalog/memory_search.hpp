#pragma once

#include "schemas/base/timestamp.hpp"
#include "schemas/memory.hpp"
#include "schemas/ranking_features.hpp"
#include "schemas/search_request.hpp"
#include "store/catalog/catalog_state.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memd::catalog {

// Restricts a query to some memories. Empty lists: no restriction.
struct MemoryFilter {
  std::string project;  // as QueryFilter::project: its memories, and those without a project
  std::vector<MemoryScope> scopes;
  std::vector<MemoryType> types;
  std::vector<std::string> tags;    // all of them are required
  std::vector<std::string> paths;   // lower-case parts of the file's path; all are required
  TimeMs as_of = 0;                 // without memories and successors made later; age and status are today's. 0: now
  TimeMs since = 0;                 // changed at or after this time; 0: open
  TimeMs until = 0;                 // changed before this time; 0: open
  bool include_superseded = true;   // memories superseded by another one
  bool include_stale = true;        // memories whose verification is stale
  bool include_agent_files = true;  // instructions and notes of agents
};

struct MemoryHit : MemoryHead {
  std::int64_t id = 0;
  MemoryDialect dialect{};
  MemoryScope scope{};
  VerificationStatus status{};
  std::string path;
  std::string project;         // name; empty: none
  std::string project_key;     // identity key; empty: none
  std::string superseded_by;   // slug in the same place; empty: not superseded
  bool changed_since = false;  // after MemoryFilter::as_of; the content at that time is unknown
  std::string content;         // after the front matter, masked
  std::string snippet;         // best passage
  std::string anchor;          // of the heading above the passage; empty: none
  double relevance_score = 0;  // 0…1, 1 best; comparable with that of SearchHit
  Confidence confidence = Confidence::high;
  std::optional<RankingFeatures> features;  // when asked to explain
};

struct MemorySearchAnswer {
  std::vector<MemoryHit> hits;  // best first
  bool more = false;            // there are hits after offset + limit
  bool nothing_relevant = false;
  CatalogState state = CatalogState::valid;  // otherwise results may be incomplete or empty
  std::int64_t docs = 0;                     // number of searchable memories, regardless of the filter
  std::vector<std::string> ignored_terms;    // as in SearchAnswer
};

// Finds memories by words and by meaning, ranked like exchanges (store/search/rank), with the same evidence measures.
// Superseded and stale memories are marked and ranked after their replacements. Without words, returns the memories
// changed last. A missing or damaged catalog gives no hits and is reported in `state`.
struct MemorySearch : SearchRequest {  // exchange filters of the words (tool:, platform:) match no memory
  MemoryFilter filter;
  int limit = 10;
  int offset = 0;

  using Answer = MemorySearchAnswer;
  Answer run(sqlite::Database& db) const;
};

// Returns memories that name one of these files, ordered by the number of files named.
struct MemoriesOfFiles {
  std::vector<std::string> files;
  MemoryFilter filter;
  int limit = 10;

  using Answer = std::vector<MemoryHit>;
  Answer run(sqlite::Database& db) const;
};

// Returns memories by slug, the highest precedence first. With a project: its memories and those without a project.
struct MemoriesOfSlug {
  std::string slug;
  std::string project{};

  using Answer = std::vector<MemoryHit>;
  Answer run(sqlite::Database& db) const;
};

}  // namespace memd::catalog
