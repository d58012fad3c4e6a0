#pragma once

#include "schemas/enrichment.hpp"
#include "schemas/exchange_row.hpp"
#include "store/db/database.hpp"
#include "store/enrich/embedding/embedder.hpp"
#include "store/enrich/topics/lexicon.hpp"

#include <string>
#include <vector>

namespace memd::topics {

inline constexpr std::size_t kMostTopics = 8;  // per exchange

// Extracts the topics of an exchange: phrases of one to three words, names of files, tools and errors. Scores them by
// frequency and position in the exchange (a prompt weighs most), by the rarity of their words in the store and by
// cohesion; with an embedder, also by similarity to the whole exchange.
//
// Deterministic for one state of the store and one embedder; depends little on the state (see Lexicon). One thread at a
// time. The connection must outlive the extractor, which makes it read-only. Construct it outside a transaction. Throws
// ErrorException.
class TopicExtractor {
 public:
  // `embedder` is called once per exchange, so a network embedder is too slow. It must outlive this object.
  explicit TopicExtractor(sqlite::Database& db, embedding::Embedder* embedder = nullptr);

  // Returns the topics, best first, at most kMostTopics. Returns none for texts that a client wrote.
  std::vector<TopicMention> extract(const ExchangeRow& exchange);

 private:
  struct Candidate {
    const Phrase* phrase = nullptr;
    double score = 0;
  };

  void read(const ExchangeRow& exchange);
  void read_title(const std::string& title);
  double score(const Phrase& phrase);
  void weigh_by_meaning(const ExchangeRow& exchange, std::vector<Candidate>& candidates);
  std::vector<Candidate> choose(std::vector<Candidate> candidates) const;
  std::string spelling(const Phrase& phrase) const;

  Lexicon lexicon_;
  embedding::Embedder* embedder_;
  std::vector<ProseToken> prose_;
  std::vector<GradedToken> tokens_;
  PhraseTable table_;
  std::vector<StemId> title_;  // sorted
};

}  // namespace memd::topics
