#pragma once

#include "schemas/base/timestamp.hpp"
#include "schemas/exchange_row.hpp"
#include "schemas/platform.hpp"
#include "schemas/query.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// A search and its answer.
namespace memd {

// A piece of the query, to be split into words by the index's own tokenizer.
struct QueryText {
  std::string text;     // valid UTF-8 without NUL
  bool quoted = false;  // was in quotes: has to occur as a phrase
};

// A parsed question (search::parse_query). Words and phrases keep their order.
struct ParsedQuery {
  std::string text;     // as the user typed it; never a syntax error
  std::string meaning;  // what is embedded: `wanted`, and the words of a time
  std::vector<QueryText> wanted;
  std::vector<QueryText> excluded;
  std::vector<std::string> paths;  // lower case; each has to be part of the path of a touched file
  std::vector<std::string> tools;  // lower case; each has to be part of the name of a tool called
  std::vector<Platform> platforms;
  std::string project;
  TimeMs since = 0;                    // inclusive; 0: open
  TimeMs until = 0;                    // exclusive; 0: open
  std::optional<TimeRange> preferred;  // time mentioned ("last week"); exchanges of that time rank higher
  bool is_error_output = false;        // `wanted` is the signature of pasted output
  std::vector<std::string> operators;  // exclusions and filters, as typed

  bool has_filters() const {
    return !paths.empty() || !tools.empty() || !platforms.empty() || !project.empty() || since != 0 || until != 0;
  }
};

// lexical: by words; semantic: by meaning alone; hybrid: both.
enum class SearchMode { hybrid, lexical, semantic };

// What a search of turns and one of memories are asked alike.
struct SearchRequest {
  ParsedQuery asked;
  SearchMode mode = SearchMode::hybrid;
  bool explain = false;        // hits carry their features
  std::string near_project{};  // identity key of the project the question is asked from; its hits come a little earlier
  TimeMs now = 0;              // reference time for recency; 0: age is ignored
};

struct SearchQuery : SearchRequest {
  // Further phrasings, without operators: searched and ranked together with `asked`, whose filters and exclusions apply
  // to all.
  std::vector<std::string> also{};
  QueryFilter filter;
  int limit = 20;
  std::optional<int> load_at_most{};  // loads only the first of these hits
  int offset = 0;
  bool count_outside = false;   // also search what filter.project excludes (SearchAnswer::outside)
  bool count_matching = false;  // SearchAnswer::matching
};

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

// A range of a text, in bytes.
struct TextSpan {
  std::size_t start = 0;
  std::size_t length = 0;

  bool operator==(const TextSpan&) const = default;
};

struct SearchHit : ExchangeHead {
  double relevance_score = 0;  // 0…1, 1 best
  std::string user_message;
  std::string assistant_response;  // the final answer, not every text on the way
  std::string snippet;             // best passage
  std::vector<TextSpan> matches;   // in the snippet, in order
  std::string matched_in;          // user_message | interventions | assistant_response | tool_text
  std::int64_t text_bytes = 0;     // of the whole exchange as get_exchange gives it without tools
  Confidence confidence = Confidence::high;
  double likelihood = 1;                    // 0…1, probability that it is about the question
  std::uint32_t found_by = 1;               // phrasings that found it; bit 0: `asked`, bit 1: also[0], …
  bool is_evicted = false;                  // only its first lines are left
  std::int64_t copies = 0;                  // further exchanges with the same text that this hit stands for
  std::optional<RankingFeatures> features;  // set if SearchQuery::explain
};

// Coverage of the semantic side of a search.
struct SemanticCoverage {
  bool used = false;
  std::string model;
  std::int64_t pending = 0;              // exchanges without vectors of their present text
  std::int64_t without_second_look = 0;  // of the best hits, where the question is one for the second look
  std::string trouble;                   // reason why it was not used or is incomplete; empty: none
};

// A hit that filter.project excludes and whose evidence is clearly stronger than that of all hits it admits.
struct BetterElsewhere {
  ExchangeId id = 0;
  std::string project;    // its identity key; empty: the session has none
  double likelihood = 0;  // as SearchHit::likelihood
};

// Hits among the best `limit` of all projects that filter.project excludes.
struct OutsideHits {
  std::int64_t count = 0;  // without hits of low confidence
  double likelihood = 0;   // as SearchAnswer::likelihood
  std::optional<BetterElsewhere> better;
};

struct SearchAnswer {
  std::vector<SearchHit> hits;
  SearchMode mode = SearchMode::lexical;  // the requested mode, or lexical if the semantic side was not used
  SemanticCoverage semantic;
  bool nothing_relevant = false;           // hits, if any, are the nearest found, but not relevant
  double likelihood = 1;                   // 0…1, probability that one of the best hits is about the question
  bool weak = false;                       // low enough to ask again with further phrasings; never with `also`
  std::vector<std::string> missing_terms;  // when weak: words of the question that the best hits lack
  bool more = false;                       // there are hits after these
  std::vector<std::string> ignored_terms;  // too common to help, without letters, or in no exchange at all
  std::vector<std::string> unknown_terms;  // those of them that are in no exchange at all
  std::vector<std::string> excluded;       // terms and phrases that the question excludes
  std::vector<std::string> dropped;        // operators in the text that found nothing and were read as words, as typed
  std::string unknown_project;             // message about a typed `project:` that does not exist; empty: none
  std::int64_t left_out = 0;               // hits in an index that are missing in the store, which is damaged
  std::optional<OutsideHits> outside;      // on request
  std::optional<std::int64_t> matching;    // on request: exchanges that contain all words that are not ignored
};

}  // namespace memd
