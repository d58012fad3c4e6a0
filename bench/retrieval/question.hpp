#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

// Questions with their relevant keys, ranked answers, and quality measures. Keys are exchange ids ("x42") or session
// uids.
namespace memd::bench {

enum class Unit { exchange, session };

// One exchange as the store holds it.
struct Document {
  std::string exchange_id;
  std::string session_uid;
  std::int64_t number = 0;
  std::string text;
  std::string project;  // directory of the session; empty: none
};

struct Question {
  std::string text;
  std::vector<std::string> groups;  // tables that it counts in
  std::set<std::string> relevant;   // keys; empty: the index has no answer. When asked in projects: and these
  std::string directory{};          // project of the right answer; empty: asked without a project
  std::string elsewhere{};          // another project to ask from as well
  std::vector<std::string> also{};  // alternative phrasings
};

struct Hit {
  std::string exchange_id;
  std::string session_uid;
  double score = 0;
  std::string confidence;  // as memd reports it; may be empty
};

struct RankedList {
  std::vector<Hit> hits;                 // best first
  std::string ranking;                   // memd's actual mode
  std::optional<bool> nothing_relevant;  // memd's statement on the whole answer
  std::int64_t outside = 0;              // hits outside the searched project, as memd reports them
  std::optional<std::string> better;     // project with a better hit, as memd reports it
  double milliseconds = 0;               // time to the first page
};

// Returns the distinct keys of a list in order. A session has the rank of its first hit.
std::vector<std::string> ranked_keys(const std::vector<Hit>& hits, Unit unit);
// Merges lists by reciprocal rank fusion, 1 / (60 + rank), with equal weights. Its time is the sum of the lists' times.
RankedList reciprocal_rank_fusion(const std::vector<const RankedList*>& lists);

// Measures of one ranking, between 0 and 1.
using Keys = std::vector<std::string>;

double recall(const Keys& ranking, const std::set<std::string>& relevant, std::size_t k);
// Binary gains, discount log2(rank + 1), ideal list cut at k.
double ndcg(const Keys& ranking, const std::set<std::string>& relevant, std::size_t k);
double hit(const Keys& ranking, const std::set<std::string>& relevant, std::size_t k);
double reciprocal_rank(const Keys& ranking, const std::set<std::string>& relevant);

// A mean with its uncertainty.
struct Estimate {
  double mean = 0;
  double low = 0;  // 95% percentile bootstrap over questions, 2,000 resamples, always the same ones
  double high = 0;
};
Estimate bootstrap_mean(const std::vector<double>& values);
// Estimates the mean of the paired differences a − b.
Estimate bootstrap_difference(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace memd::bench
