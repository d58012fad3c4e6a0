#pragma once

#include "schemas/base/timestamp.hpp"
#include "schemas/ids.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Data derived from an exchange after it is stored: topics, identifiers and vectors.
namespace memd {

// Bits of enrichment_queue.missing.
inline constexpr unsigned kMissingTerms = 1;
inline constexpr unsigned kMissingVectors = 2;

struct TopicMention {
  std::string topic;     // its most frequent spelling in the exchange
  double relevance = 0;  // 0…1
  std::string stems{};   // stems of its words, joined by blanks: the key of the topic. Empty: `topic` is the key
};

struct ExchangeTerms {
  std::vector<std::string> identifiers;
  std::vector<TopicMention> topics;
};

// Vectors of the chunks of one exchange, in the order of chunks_of().
struct ExchangeVectors {
  std::string model;
  int dimension = 0;
  std::vector<std::uint64_t> chunk_hashes;
  std::vector<std::int8_t> vectors;  // chunk_hashes.size() × dimension; only their direction counts
};

// The result of enriching one exchange. The exchange stays in the queue for absent parts.
struct Enrichment {
  ExchangeId id = 0;
  std::int64_t revision = 0;
  std::optional<ExchangeTerms> terms;
  std::optional<ExchangeVectors> vectors;
};

// Versions of the data that exchanges are enriched with. When they change, exchanges are enriched again.
struct EnrichmentTarget {
  std::string model;      // embedding model; empty: no vectors are made
  int terms_version = 0;  // version of the term extractor
  bool operator==(const EnrichmentTarget&) const = default;
};

struct EmbeddingModelRow {
  std::string name;
  int dimension = 0;
  std::int64_t exchanges = 0;  // with vectors of this model
};

// Embedding models that have vectors in the store.
struct EmbeddingModels {
  std::string target;     // the model that new vectors are made with; empty: none, or not decided yet
  bool complete = false;  // no exchange lacks vectors of `target`
  std::vector<EmbeddingModelRow> models;
};

struct EnrichmentBacklog {
  std::int64_t terms = 0;    // exchanges without terms
  std::int64_t vectors = 0;  // exchanges whose vectors are missing or of an older text
};

// Second look: one vector an exchange, of the beginning of its text, by the network that ranks the best hits of a
// search once more.

// An exchange that waits for its vector, as of the time it was read.
struct PendingSecondLook {
  ExchangeId id = 0;
  std::int64_t waiting = 0;                // changes with each change of the text
  std::optional<std::uint64_t> text_hash;  // of the text that its vector was made from; nullopt: it has none
  TimeMs ended_at = 0;
  std::string text;  // to make the vector from; empty: it gets none
};

// The result for a PendingSecondLook.
struct SecondLookVector {
  ExchangeId id = 0;
  std::int64_t waiting = 0;     // as it was read
  std::uint64_t text_hash = 0;  // of the text
  std::vector<std::int8_t>
      vector;  // only its direction counts; empty: the stored one if the hash is the same, else none
};

struct SecondLookBacklog {
  bool on() const { return !model.empty(); }

  std::string model;           // of the vectors; empty: the second look is off
  std::int64_t exchanges = 0;  // in the store
  std::int64_t made = 0;       // exchanges with a vector
  std::int64_t waiting = 0;    // exchanges whose vector is missing or of an older text
};

// Stored topics.

struct TopicCount {
  std::string topic;  // most frequent spelling
  std::string stems;  // stems of its words, joined by blanks
  std::int64_t exchanges = 0;
  std::int64_t sessions = 0;
  TimeRange span;  // from the first to the last of these exchanges
};

struct TopicList {
  std::vector<TopicCount> topics;  // highest rank first (topics::TopicUse::rank)
  std::int64_t total = 0;          // including those not listed
};

// An exchange with the topic itself, or with a topic that contains all of its words.
struct TopicExchange {
  ExchangeId id = 0;
  double relevance = 0;  // 0…1
};

struct TopicFinding {
  std::vector<TopicExchange> exchanges;  // best first
  std::vector<TopicCount> names;         // stored topics that match: the exact one first, then by use; empty: none does
  std::vector<TopicCount> related;       // topics of these exchanges and of TopicQuery::found, nearest first
};

}  // namespace memd
