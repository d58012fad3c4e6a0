#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

// What is asked, what would be right, and what came back. Keys are exchange ids ("x42") or session uids.
namespace memd::bench {

enum class Unit { exchange, session };

// One exchange as the store holds it.
struct Document {
  std::string exchange_id;
  std::string session_uid;
  std::int64_t number = 0;
  std::string text;
};

struct Question {
  std::string text;
  std::vector<std::string> groups;  // the tables it counts in
  std::set<std::string> relevant;   // keys; empty: nothing in the index answers it
};

struct Hit {
  std::string exchange_id;
  std::string session_uid;
  double score = 0;
  std::string confidence;  // as memd says it; empty: it does not say
};

struct RankedList {
  std::vector<Hit> hits;                 // best first
  std::string ranking;                   // of memd: the mode that was possible
  std::optional<bool> nothing_relevant;  // what memd says of the whole answer
  double milliseconds = 0;               // until the first page was there
};

// The keys of a list in order, each once: a session stands where its first hit stands.
std::vector<std::string> ranked_keys(const std::vector<Hit>& hits, Unit unit);
// Reciprocal rank fusion, 1 / (60 + rank), each list with the same weight. It takes as long as all lists together.
RankedList reciprocal_rank_fusion(const std::vector<const RankedList*>& lists);

}  // namespace memd::bench
