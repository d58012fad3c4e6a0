#include "store/search/stop_words.hpp"

#include <algorithm>
#include <array>

namespace memd::search {
namespace {

constexpr auto kStopWords = std::to_array<std::string_view>(
    {"a",     "about", "after",   "all",   "also",    "am",    "an",     "and",  "any",  "are",   "as",     "at",
     "be",    "been",  "but",     "by",    "can",     "could", "d",      "did",  "do",   "does",  "doing",  "for",
     "from",  "get",   "had",     "has",   "have",    "he",    "her",    "him",  "his",  "how",   "i",      "if",
     "in",    "into",  "is",      "it",    "its",     "just",  "let",    "ll",   "m",    "me",    "my",     "no",
     "not",   "of",    "on",      "or",    "our",     "out",   "please", "re",   "s",    "she",   "should", "so",
     "some",  "such",  "t",       "than",  "that",    "the",   "their",  "them", "then", "there", "these",  "they",
     "this",  "those", "to",      "too",   "up",      "us",    "ve",     "very", "was",  "we",    "were",   "what",
     "when",  "where", "which",   "while", "who",     "whom",  "why",    "will", "with", "would", "you",    "your",
     "yours", "again", "because", "being", "between", "both",  "each",   "here", "off"});

}  // namespace

bool is_stop_word(std::string_view word) {
  return std::find(kStopWords.begin(), kStopWords.end(), word) != kStopWords.end();
}

}  // namespace memd::search
