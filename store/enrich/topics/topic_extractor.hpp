#pragma once

#include "schemas/enrichment.hpp"
#include "store/db/database.hpp"
#include "store/enrich/embedding/embedder.hpp"
#include "store/enrich/topics/lexicon.hpp"

#include <string>
#include <vector>

namespace memd::topics {

inline constexpr std::size_t kMostTopics = 8;  // of an exchange

// Finds what an exchange is about: phrases of one to three words, names of files, tools and errors. They are taken by
// how often and where they stand in the exchange (a prompt weighs most), how rare their words are in the store and how
// they hold together; with an embedder, also by how near they are in meaning to the whole exchange.
//
// Deterministic for one state of the store and one embedder; depends little on the state (see Lexicon). One thread at
// a time. The connection must outlive the extractor and is made read-only by it; make it outside of a transaction.
// Throws ErrorException.
class TopicExtractor {
 public:
  // `embedder` is asked once an exchange: one that answers over a network is too slow for that. It must outlive this.
  explicit TopicExtractor(sqlite::Database& db, embedding::Embedder* embedder = nullptr);

  // Best first, at most kMostTopics. Nothing for texts that a client made.
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
