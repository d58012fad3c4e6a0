#pragma once

// What hits are ranked and judged by.
namespace memd {

// Features that a hit was ranked by. 0 when a feature does not apply.
struct RankingFeatures {
  double bm25 = 0;             // 0…1, share of the highest score that this query can reach
  double coverage = 0;         // idf-weighted share of the query's words found
  double adjacency = 0;        // share of neighbouring words found side by side
  double title = 0;            // share of the query's weight in the session's title
  double identifier = 0;       // share of the query's identifiers found exactly
  double brevity = 1;          // 0…1, weight of the exchanges around it: 1 up to sixty words, ½ at 120, …
  double neighbour_turns = 0;  // 0…1, match of the exchanges before and after
  double surroundings = 0;     // share of the query's weight found in it and a few exchanges around it
  double cosine = 0;
  double dense_z = 0;      // standardised over all vectors scanned
  double recency = 0;      // 0…1
  double tokens = 0;       // similarity to the question token by token, in standard deviations over the texts compared
  double second_look = 0;  // the same of its vector by the network of the second look, over the best hits
  // What likelihood() judges by, not as compared with the other hits:
  double surprise = 0;        // nats: improbability that a random text of its length contains the words found in it
  double soft_coverage = 0;   // 0…1, as coverage, with each token counted by the nearest one of the nearest chunk
  double network_cosine = 0;  // by the network of the second look; 0: not looked at
  double date = 0;            // 0…1, 1 at the time that the question names ("last week", "in March")
  double same_project = 0;    // 0 or 1
  double abandoned = 0;       // 0 or 1: the session was rewound to before it
  double subagent = 0;        // 0 or 1: another session started its session
  double decision = 0;        // 0 or 1: it contains a recorded decision, and the question asks for one
  double verbatim = 0;        // 0 or 1: it contains the whole question as typed
};

enum class Confidence { low, medium, high };

}  // namespace memd
