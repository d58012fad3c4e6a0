#include "bench/retrieval/fts5_index.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>

namespace memd::bench {
namespace {

// The English list of the Natural Language Toolkit, contractions as a tokenizer cuts them. Not memd's own, so that the
// anchor stays where it is when memd's changes.
constexpr auto kStopWords = std::to_array<std::string_view>({
    "i",       "me",       "my",         "myself",     "we",      "our",    "ours",  "ourselves", "you",     "your",
    "yours",   "he",       "him",        "his",        "himself", "she",    "her",   "hers",      "herself", "it",
    "its",     "itself",   "they",       "them",       "their",   "theirs", "what",  "which",     "who",     "whom",
    "this",    "that",     "these",      "those",      "am",      "is",     "are",   "was",       "were",    "be",
    "been",    "being",    "have",       "has",        "had",     "having", "do",    "does",      "did",     "doing",
    "a",       "an",       "the",        "and",        "but",     "if",     "or",    "because",   "as",      "until",
    "while",   "of",       "at",         "by",         "for",     "with",   "about", "against",   "between", "into",
    "through", "during",   "before",     "after",      "above",   "below",  "to",    "from",      "up",      "down",
    "in",      "out",      "on",         "off",        "over",    "under",  "again", "further",   "then",    "once",
    "here",    "there",    "when",       "where",      "why",     "how",    "all",   "any",       "both",    "each",
    "few",     "more",     "most",       "other",      "some",    "such",   "no",    "nor",       "not",     "only",
    "own",     "same",     "so",         "than",       "too",     "very",   "s",     "t",         "can",     "will",
    "just",    "don",      "should",     "now",        "d",       "ll",     "m",     "o",         "re",      "ve",
    "y",       "yourself", "yourselves", "themselves",
});

}  // namespace

std::vector<std::string> content_words(const std::string& text) {
  std::vector<std::string> all;
  std::string word;
  for (const char raw : text + " ") {
    const char c = raw >= 'A' && raw <= 'Z' ? static_cast<char>(raw - 'A' + 'a') : raw;
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c & 0x80) != 0) {
      word += c;
    } else if (!word.empty()) {
      if (std::find(all.begin(), all.end(), word) == all.end()) all.push_back(word);
      word.clear();
    }
  }
  std::vector<std::string> kept;
  for (const auto& w : all)
    if (std::find(kStopWords.begin(), kStopWords.end(), w) == kStopWords.end()) kept.push_back(w);
  return kept.empty() ? all : kept;
}

Fts5Index::Fts5Index(const std::vector<Document>& documents)
    : documents_(documents), db_(sqlite::Database::open(":memory:", sqlite::OpenMode::read_write)) {
  db_.exec("CREATE VIRTUAL TABLE texts USING fts5(text, tokenize = 'porter unicode61')");
  sqlite::Transaction tx(db_);
  for (std::size_t i = 0; i < documents.size(); ++i)
    db_.prepare("INSERT INTO texts (rowid, text) VALUES (?, ?)")
        .bind(static_cast<std::int64_t>(i + 1), documents[i].text)
        .run();
  tx.commit();
}

RankedList Fts5Index::search(const std::string& question, std::size_t limit) {
  RankedList list;
  const auto start = std::chrono::steady_clock::now();
  std::string match;
  for (const auto& word : content_words(question))
    match += (match.empty() ? "\"" : " OR \"") + word + '"';
  if (!match.empty()) {
    auto& q = db_.prepare("SELECT rowid, -rank FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?")
                  .bind(match, static_cast<std::int64_t>(limit));
    while (q.step()) {
      const Document& document = documents_[static_cast<std::size_t>(q.int64(0) - 1)];
      list.hits.push_back({document.exchange_id, document.session_uid, q.real(1), {}});
    }
    q.reset();
  }
  list.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return list;
}

}  // namespace memd::bench
