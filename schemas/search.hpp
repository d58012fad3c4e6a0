#pragma once

#include "schemas/exchange_row.hpp"
#include "schemas/query.hpp"
#include "schemas/ranking_features.hpp"
#include "schemas/search_request.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// A search of turns and its answer.
namespace memd {

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
