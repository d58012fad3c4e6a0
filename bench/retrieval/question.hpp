#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

// A question, what would be right, what came back, and how good that is. Keys are exchange ids ("x42") or session uids.
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
  std::vector<std::string> groups;  // the tables it counts in
  std::set<std::string> relevant;   // keys; empty: nothing in the index answers it. Asked in projects: and these
  std::string directory{};          // project of what is right; empty: the question is asked from nowhere
  std::string elsewhere{};          // another project, to ask it from too
  std::vector<std::string> also{};  // other ways to say it
};

struct Hit {
  std::string exchange_id;
  std::string session_uid;
  double score = 0;
  std::string confidence;  // as memd says it, or empty
};

struct RankedList {
  std::vector<Hit> hits;                 // best first
  std::string ranking;                   // of memd: the mode that was possible
  std::optional<bool> nothing_relevant;  // what memd says of the whole answer
  std::int64_t outside = 0;              // hits that memd says lie outside the project it looked at
  std::optional<std::string> better;     // the project that memd says has a better hit
  double milliseconds = 0;               // until the first page was there
};

// Returns the keys of a list in order, each once. A session takes the place of its first hit.
std::vector<std::string> ranked_keys(const std::vector<Hit>& hits, Unit unit);
// Reciprocal rank fusion, 1 / (60 + rank), with equal weights. Its time is the sum of the times of the lists.
RankedList reciprocal_rank_fusion(const std::vector<const RankedList*>& lists);

// Measures of one ranking, between 0 and 1.
using Keys = std::vector<std::string>;

double recall(const Keys& ranking, const std::set<std::string>& relevant, std::size_t k);
// Binary gains, discount log2(rank + 1), ideal list cut at k.
double ndcg(const Keys& ranking, const std::set<std::string>& relevant, std::size_t k);
double hit(const Keys& ranking, const std::set<std::string>& relevant, std::size_t k);
double reciprocal_rank(const Keys& ranking, const std::set<std::string>& relevant);

// The mean of many, with its uncertainty.
struct Estimate {
  double mean = 0;
  double low = 0;  // 95% percentile bootstrap over questions, 2,000 resamples, always the same ones
  double high = 0;
};
Estimate bootstrap_mean(const std::vector<double>& values);
// Of the difference a − b, question by question.
Estimate bootstrap_difference(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace memd::bench
