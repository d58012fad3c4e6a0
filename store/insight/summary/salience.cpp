#include "store/insight/summary/salience.hpp"

#include "schemas/ascii.hpp"
#include "schemas/hash.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <cmath>

namespace memd {
namespace {

// What a byte of a word counts as; 0: it is none.
constexpr std::array<char, 256> term_bytes() {
  std::array<char, 256> out{};
  for (std::size_t b = 0; b < out.size(); ++b) {
    const char c = static_cast<char>(b);
    if (ascii::is_word(c) || ascii::is_beyond(c)) out[b] = ascii::lower(c);
  }
  return out;
}
constexpr std::array<char, 256> kTermBytes = term_bytes();

// Words of up to seven bytes as one number each, in open addressing. Not the list of store/search: there a word is
// dropped that finds nothing in particular, here one that tells nothing of what a text is about ("need", "look",
// "good").
class StopWords {
 public:
  static constexpr std::size_t kLongest = 7;

  constexpr StopWords() {
    constexpr auto kWords = std::to_array<std::string_view>(
        {"the",     "and",   "for",  "are",   "but",   "not",   "you",    "all",   "any",   "can",   "had",   "has",
         "have",    "her",   "was",  "one",   "our",   "out",   "get",    "his",   "how",   "its",   "may",   "new",
         "now",     "see",   "two",  "way",   "who",   "did",   "does",   "let",   "put",   "say",   "she",   "too",
         "use",     "this",  "that", "with",  "will",  "your",  "from",   "they",  "know",  "want",  "been",  "good",
         "much",    "some",  "time", "very",  "when",  "come",  "here",   "just",  "like",  "long",  "make",  "many",
         "more",    "only",  "over", "such",  "take",  "than",  "them",   "well",  "were",  "what",  "then",  "there",
         "these",   "also",  "into", "about", "would", "could", "should", "which", "their", "other", "where", "while",
         "because", "being", "each", "both",  "need",  "look"});
    for (const std::string_view word : kWords) {
      std::size_t at = slot_of(packed(word));
      while (slots_[at] != 0)
        at = (at + 1) % kSlots;
      slots_[at] = packed(word);
    }
  }

  constexpr bool contains(std::string_view word) const {
    if (word.size() > kLongest) return false;
    const std::uint64_t wanted = packed(word);
    for (std::size_t at = slot_of(wanted); slots_[at] != 0; at = (at + 1) % kSlots)
      if (slots_[at] == wanted) return true;
    return false;
  }

 private:
  static constexpr std::size_t kSlots = 512;

  static constexpr std::uint64_t packed(std::string_view word) {
    std::uint64_t out = 0;
    for (const char c : word)
      out = out << 8 | static_cast<unsigned char>(c);
    return out;
  }
  static constexpr std::size_t slot_of(std::uint64_t word) { return word * 0x9E3779B97F4A7C15 >> 55; }

  std::array<std::uint64_t, kSlots> slots_{};
};
constexpr StopWords kStopWords;

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

// Finds all cues in one pass: few pairs of bytes begin one. A bit stands for such a pair.
class CueTable {
 public:
  CueTable() {
    std::array<std::uint16_t, kCues.size()> pairs{};
    for (std::size_t i = 0; i < kCues.size(); ++i) {
      const std::string_view words = kCues[i].words;
      const auto pair = static_cast<std::uint16_t>(byte_of(words[0]) << 8 | byte_of(words[1]));
      const std::size_t bit =
          static_cast<std::size_t>(std::find(pairs.begin(), pairs.begin() + groups_.size(), pair) - pairs.begin());
      if (bit == groups_.size()) groups_.emplace_back();
      pairs[bit] = pair;
      groups_[bit].push_back(i);
      for (std::size_t b = 0; b < 256; ++b) {
        if (ascii::lower(static_cast<char>(b)) == words[0]) first_[b] |= std::uint64_t{1} << bit;
        if (ascii::lower(static_cast<char>(b)) == words[1]) second_[b] |= std::uint64_t{1} << bit;
      }
    }
  }

  // The weights of the cues that stand in the text, each once.
  double score(std::string_view text) const {
    double score = 0;
    std::bitset<kCues.size()> seen;
    for (std::size_t at = 0; at + 1 < text.size(); ++at) {
      const std::uint64_t group = first_[byte_of(text[at])] & second_[byte_of(text[at + 1])];
      if (group == 0) continue;
      for (const std::size_t i : groups_[static_cast<std::size_t>(std::countr_zero(group))]) {
        if (seen[i] || !ascii::starts_nocase(text.substr(at), kCues[i].words)) continue;
        seen[i] = true;
        score += kCues[i].weight;
      }
    }
    return score;
  }

 private:
  static_assert(kCues.size() <= 64);
  static unsigned byte_of(char c) { return static_cast<unsigned char>(c); }

  std::array<std::uint64_t, 256> first_{};   // the pairs that a byte may begin
  std::array<std::uint64_t, 256> second_{};  // and those it may end
  std::vector<std::vector<std::size_t>> groups_;
};

}  // namespace

std::vector<std::uint64_t> content_terms(std::string_view text) {
  constexpr std::size_t kLongest = 64;
  std::vector<std::uint64_t> terms;
  std::array<char, kLongest> word;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t length = 0;
    for (; i < text.size(); ++i, ++length) {
      const char c = kTermBytes[static_cast<unsigned char>(text[i])];
      if (c == 0) break;
      if (length < kLongest) word[length] = c;
    }
    ++i;
    if (length < 3 || length > kLongest) continue;
    const std::string_view term(word.data(), length);
    if (!kStopWords.contains(term)) terms.push_back(hash64(term));
  }
  return terms;
}

std::uint32_t TermWeights::number_of(std::uint64_t term) {
  if (terms_.size() * 2 >= slots_.size()) grow();
  const std::size_t at = slot_of(term);
  if (slots_[at] == 0) {
    terms_.push_back({term});
    slots_[at] = static_cast<std::uint32_t>(terms_.size());
  }
  return slots_[at] - 1;
}

// Of the term, or the empty one it would come to. Terms are hashes already.
std::size_t TermWeights::slot_of(std::uint64_t term) const {
  std::size_t at = term & (slots_.size() - 1);
  while (slots_[at] != 0 && terms_[slots_[at] - 1].hash != term)
    at = (at + 1) & (slots_.size() - 1);
  return at;
}

void TermWeights::grow() {
  constexpr std::size_t kLeast = 1024;
  slots_.assign(std::max(kLeast, slots_.size() * 2), 0);
  for (std::size_t i = 0; i < terms_.size(); ++i)
    slots_[slot_of(terms_[i].hash)] = static_cast<std::uint32_t>(i + 1);
}

void TermWeights::add_document(std::span<const std::uint32_t> numbers) {
  ++documents_;
  for (const std::uint32_t n : numbers) {
    Term& term = terms_[n];
    ++term.total;
    if (term.last_document == documents_) continue;
    term.last_document = documents_;
    ++term.documents;
  }
}

void TermWeights::finish() {
  heaviest_ = 1.0;  // where nothing stands out, little counts
  for (Term& term : terms_) {
    if (term.total < 2) continue;  // said once: a detail, or a typo
    double idf = std::log(1.0 + documents_ / static_cast<double>(term.documents));
    if (documents_ >= 3) idf = std::max(0.0, idf - 0.6);  // a word of every exchange tells nothing
    term.weight = std::log(1.0 + term.total) * idf;
    heaviest_ = std::max(heaviest_, term.weight);
  }
}

double TermWeights::overlap(std::span<const std::uint32_t> numbers) const {
  if (numbers.empty() || heaviest_ <= 0) return 0;
  double sum = 0;
  for (const std::uint32_t n : numbers)
    sum += terms_[n].weight / heaviest_;
  // Long sentences have more words; they must not win for that alone.
  return std::min(1.0, sum / std::pow(static_cast<double>(numbers.size()), 0.75));
}

double cue_score(std::string_view sentence) {
  static const CueTable kTable;
  sentence = sentence.substr(0, 600);
  double score = kTable.score(sentence);
  if (sentence.ends_with('?') || sentence.ends_with("？")) score += 1.0;
  return std::clamp(score, -2.5, 3.0);
}

}  // namespace memd
