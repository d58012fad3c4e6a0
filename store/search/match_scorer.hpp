#pragma once

#include "schemas/query.hpp"
#include "store/search/query_plan.hpp"

#include <sqlite3.h>

#include <cstdint>
#include <vector>

namespace memd::search {

// Scores the documents of an FTS5 walk, as the auxiliary function memd_match(exchanges_fts) of one connection:
//
//   0.85 · (½ · bm25 / (1.6 · Σ idf) + ½ · idf-weighted share of the terms found) + 0.10 · share of neighbouring terms
//   found side by side
//
// so that 0.95 means "all of it, often, in this order" for any query; the title of the session adds the rest.
class MatchScorer {
 public:
  // `db` must not run memd_match any more once this is gone.
  explicit MatchScorer(sqlite3* db);
  MatchScorer(const MatchScorer&) = delete;
  MatchScorer& operator=(const MatchScorer&) = delete;

  // For the statements stepped from now on; `plan` must live as long.
  void begin(const QueryPlan& plan);
  // Documents that cannot reach this much may be given any score below it.
  void set_threshold(double score) { threshold_ = score; }
  // What the document scored last was scored by (bm25, coverage, adjacency); of one below the threshold, anything.
  const RankingFeatures& last() const { return last_; }

  // Its terms: bit i is term i of the plan; of terms from the 64th on nothing is said.
  std::uint64_t last_terms() const { return last_terms_; }

  static constexpr double kTitleWeight = 0.05;
  static constexpr double kNeighbourWeight = 0.10;
  static constexpr double kTextWeight = 1 - kTitleWeight - kNeighbourWeight;

 private:
  struct Neighbours {
    std::size_t first;
    std::size_t second;
    std::int64_t reach;  // words from the one to the other
  };
  struct Hits {
    double weight = 0;                 // occurrences, by column
    std::vector<std::int64_t> places;  // column << 32 | word; the first ones
  };

  static void call(const Fts5ExtensionApi* api, Fts5Context* context, sqlite3_context* result, int argc,
                   sqlite3_value** argv);
  double score(const Fts5ExtensionApi& api, Fts5Context* context);
  double find_terms(const Fts5ExtensionApi& api, Fts5Context* context);
  double bm25(double length_ratio) const;
  double side_by_side(double coverage) const;
  double length_ratio(const Fts5ExtensionApi& api, Fts5Context* context);

  const QueryPlan* plan_ = nullptr;
  std::vector<Hits> hits_;
  std::vector<Neighbours> neighbours_;
  double mean_length_ = 0;  // words of a document; 0: not asked yet
  double threshold_ = 0;
  RankingFeatures last_;
  std::uint64_t last_terms_ = 0;
};

}  // namespace memd::search
