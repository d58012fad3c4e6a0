#pragma once

#include "schemas/ids.hpp"
#include "schemas/memory.hpp"
#include "schemas/query.hpp"
#include "schemas/time.hpp"
#include "store/catalog/catalog_state.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memd::catalog {

// Which memories are meant. Empty lists: all.
struct MemoryFilter {
  std::string project;  // as QueryFilter::project: its memories, and those of no project
  std::vector<MemoryScope> scopes;
  std::vector<MemoryType> types;
  std::vector<std::string> tags;    // each of them
  std::vector<std::string> paths;   // parts of the file's path, in lower case; each of them
  TimeMs as_of = 0;                 // what was there at this time, judged as it was then; 0: now
  TimeMs since = 0;                 // changed from this time on; 0: open
  TimeMs until = 0;                 // changed before this time; 0: open
  bool include_superseded = true;   // those that another one supersedes
  bool include_stale = true;        // whose verification says so
  bool include_agent_files = true;  // instructions and notes of agents
};

struct MemoryHit {
  std::int64_t id = 0;
  std::string slug;
  MemoryDialect dialect{};
  MemoryScope scope{};
  MemoryType type{};
  std::string title;
  std::vector<std::string> tags;
  TimeMs created = 0;  // 0: not told
  TimeMs updated = 0;  // 0: not told
  VerificationStatus status{};
  std::string path;
  std::string project;         // its name; empty: of none
  std::string project_key;     // identity key; empty: of none
  std::string superseded_by;   // slug, in the same place; empty: it holds
  bool changed_since = false;  // after MemoryFilter::as_of: what stood there then is not known
  std::string content;         // behind the front matter, masked
  std::string snippet;         // best passage
  std::string anchor;          // of the heading that the passage stands below; empty: of none
  double relevance_score = 0;  // 0…1, 1 best; comparable with that of SearchHit
  Confidence confidence = Confidence::high;
  std::optional<RankingFeatures> features;  // when asked to explain
};

struct MemorySearchAnswer {
  std::vector<MemoryHit> hits;  // best first
  bool more = false;            // there are hits after offset + limit
  bool nothing_relevant = false;
  CatalogState state = CatalogState::valid;  // anything else: what is there now may be found in parts, or not at all
  std::int64_t docs = 0;                     // memories that could be found, whatever the filter says
  std::vector<std::string> ignored_terms;    // as in SearchAnswer
};

// Finds memories by words and by meaning, ranked as exchanges are (store/search/rank), by the same measures of
// evidence. What another memory supersedes and what is stale is marked, and comes after what it would come before.
// Without words: those that changed last. A store without a catalog, or with a damaged one, finds nothing and says so
// (`state`).
struct MemorySearch {
  std::string text;  // as SearchQuery::text. Filters of exchanges in it (tool:, platform:) let no memory through
  MemoryFilter filter;
  int limit = 10;
  int offset = 0;
  SearchMode mode = SearchMode::hybrid;
  bool explain = false;
  std::string near_project{};  // identity key of the project the question is asked from
  TimeMs now = 0;              // for what is recent; 0: age does not count

  using Answer = MemorySearchAnswer;
  Answer run(sqlite::Database& db) const;
};

// Memories that name one of these files, those that name most of them first.
struct MemoriesOfFiles {
  std::vector<std::string> files;
  MemoryFilter filter;
  int limit = 10;

  using Answer = std::vector<MemoryHit>;
  Answer run(sqlite::Database& db) const;
};

// One memory by its slug, that of the highest precedence first. Of a project: its memories and those of none.
struct MemoriesOfSlug {
  std::string slug;
  std::string project{};

  using Answer = std::vector<MemoryHit>;
  Answer run(sqlite::Database& db) const;
};

}  // namespace memd::catalog
