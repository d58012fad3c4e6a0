#include "store/summary/salience.hpp"

#include "schemas/hash.hpp"
#include "store/summary/plain_text.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <cmath>
#include <string>

namespace memd {
namespace {

bool is_term_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool is_stop_word(std::string_view w) {
  static const std::unordered_set<std::string_view> kWords{
      "the",     "and",   "for",  "are",   "but",   "not",   "you",    "all",   "any",   "can",   "had",   "has",
      "have",    "her",   "was",  "one",   "our",   "out",   "get",    "his",   "how",   "its",   "may",   "new",
      "now",     "see",   "two",  "way",   "who",   "did",   "does",   "let",   "put",   "say",   "she",   "too",
      "use",     "this",  "that", "with",  "will",  "your",  "from",   "they",  "know",  "want",  "been",  "good",
      "much",    "some",  "time", "very",  "when",  "come",  "here",   "just",  "like",  "long",  "make",  "many",
      "more",    "only",  "over", "such",  "take",  "than",  "them",   "well",  "were",  "what",  "then",  "there",
      "these",   "also",  "into", "about", "would", "could", "should", "which", "their", "other", "where", "while",
      "because", "being", "each", "both",  "need",  "look",  "i'll"};
  return kWords.contains(w);
}

struct Cue {
  std::string_view words;
  double weight;
};
constexpr std::array kCues{
    Cue{"decid", 2.0},         Cue{"decision", 2.0},   Cue{"instead of", 1.6},  Cue{"rather than", 1.4},
    Cue{"because", 1.2},       Cue{"root cause", 2.0}, Cue{"the problem", 1.4}, Cue{"the issue", 1.4},
    Cue{"error", 0.8},         Cue{"fail", 0.8},       Cue{"fixed", 1.5},       Cue{"bug", 1.0},
    Cue{"todo", 1.2},          Cue{"next step", 1.4},  Cue{"remaining", 1.0},   Cue{"must ", 0.7},
    Cue{"important", 0.8},     Cue{"note that", 0.6},  Cue{"summary", 1.0},     Cue{"all tests", 1.2},
    Cue{"tests pass", 1.3},    Cue{"committed", 1.0},  Cue{"implemented", 1.0}, Cue{"changed", 0.6},
    Cue{"added", 0.6},         Cue{"removed", 0.7},    Cue{"renamed", 0.7},     Cue{"turns out", 1.4},
    Cue{"found ", 0.5},        Cue{"works", 0.5},      Cue{"broken", 1.0},      Cue{"regression", 1.2},
    Cue{"warning", 0.5},       Cue{"let me ", -1.8},   Cue{"i'll ", -0.6},      Cue{"now let", -1.6},
    Cue{"you're right", -0.5}, Cue{"great!", -1.0},    Cue{"perfect!", -1.0},   Cue{"good, ", -0.5},
    Cue{"修复", 1.2},          Cue{"决定", 1.6},       Cue{"错误", 0.8},        Cue{"エラー", 0.8},
};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool starts_nocase(std::string_view s, std::string_view lower_prefix) {
  return s.size() >= lower_prefix.size() &&
         std::equal(lower_prefix.begin(), lower_prefix.end(), s.begin(), [](char p, char c) { return p == lower(c); });
}

// Finds all cues in one pass: few pairs of bytes begin one.
class CueTable {
 public:
  CueTable() {
    for (std::size_t i = 0; i < kCues.size(); ++i) {
      const std::size_t pair = pair_of(kCues[i].words[0], kCues[i].words[1]);
      if (group_[pair] == 0) {
        groups_.emplace_back();
        group_[pair] = static_cast<std::uint8_t>(groups_.size());
      }
      groups_[group_[pair] - 1U].push_back(i);
    }
  }

  // The weights of the cues that stand in the text, each once.
  double score(std::string_view text) const {
    double score = 0;
    std::bitset<kCues.size()> seen;
    char next = text.empty() ? '\0' : lower(text[0]);
    for (std::size_t at = 0; at + 1 < text.size(); ++at) {
      const char first = next;
      next = lower(text[at + 1]);
      const std::uint8_t group = group_[pair_of(first, next)];
      if (group == 0) continue;
      for (const std::size_t i : groups_[group - 1U]) {
        if (seen[i] || !starts_nocase(text.substr(at), kCues[i].words)) continue;
        seen[i] = true;
        score += kCues[i].weight;
      }
    }
    return score;
  }

 private:
  static std::size_t pair_of(char first, char second) {
    return static_cast<std::size_t>(static_cast<unsigned char>(first)) << 8 | static_cast<unsigned char>(second);
  }

  std::array<std::uint8_t, 65536> group_{};  // by the first two bytes; plus one
  std::vector<std::vector<std::size_t>> groups_;
};

}  // namespace

std::vector<std::uint64_t> content_terms(std::string_view text) {
  std::vector<std::uint64_t> terms;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_term_byte(text[i])) {
      ++i;
      continue;
    }
    const std::size_t begin = i;
    while (i < text.size() && is_term_byte(text[i]))
      ++i;
    constexpr std::size_t kLongest = 64;
    if (i - begin < 3 || i - begin > kLongest) continue;
    const std::string word = ascii_lowered(text.substr(begin, i - begin));
    if (!is_stop_word(word)) terms.push_back(hash64(word));
  }
  return terms;
}

void TermWeights::add_document(std::span<const std::uint64_t> terms) {
  ++documents_;
  std::unordered_set<std::uint64_t> seen;
  for (const std::uint64_t t : terms) {
    Count& count = counts_[t];
    ++count.total;
    if (seen.insert(t).second) ++count.documents;
  }
}

void TermWeights::finish() {
  heaviest_ = 1.0;  // where nothing stands out, little counts
  for (const auto& [term, count] : counts_) {
    if (count.total < 2) continue;  // said once: a detail, or a typo
    double idf = std::log(1.0 + documents_ / static_cast<double>(count.documents));
    if (documents_ >= 3) idf = std::max(0.0, idf - 0.6);  // a word of every exchange tells nothing
    const double weight = std::log(1.0 + count.total) * idf;
    weights_[term] = weight;
    heaviest_ = std::max(heaviest_, weight);
  }
  counts_.clear();
}

double TermWeights::overlap(std::span<const std::uint64_t> terms) const {
  if (terms.empty() || heaviest_ <= 0) return 0;
  double sum = 0;
  for (const std::uint64_t t : terms)
    if (const auto it = weights_.find(t); it != weights_.end()) sum += it->second / heaviest_;
  // Long sentences have more words; they must not win for that alone.
  return std::min(1.0, sum / std::pow(static_cast<double>(terms.size()), 0.75));
}

double cue_score(std::string_view sentence) {
  static const CueTable kTable;
  sentence = sentence.substr(0, 600);
  double score = kTable.score(sentence);
  if (sentence.ends_with('?') || sentence.ends_with("？")) score += 1.0;
  return std::clamp(score, -2.5, 3.0);
}

}  // namespace memd
