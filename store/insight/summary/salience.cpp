#include "store/insight/summary/salience.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/hash.hpp"
#include "store/text/cue_matcher.hpp"
#include "store/text/plain_text.hpp"
#include "store/text/script.hpp"
#include "store/text/words.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace memd {
namespace {

// Maps a byte to its normalised word character; 0 if it is not part of a word.
constexpr std::array<char, 256> term_bytes() {
  std::array<char, 256> out{};
  for (std::size_t b = 0; b < out.size(); ++b) {
    const char c = static_cast<char>(b);
    if (ascii::is_word(c) || ascii::is_non_ascii(c)) out[b] = ascii::lower(c);
  }
  return out;
}
constexpr std::array<char, 256> kTermBytes = term_bytes();

// Returns whether the term is uninformative: a stop word, or a word like "need", "look", "good" that says nothing about
// the subject.
bool tells_nothing(std::uint64_t term) {
  static const WordList& kStop = words(WordClass::stop);
  static const WordList& kPale = words(WordClass::pale);
  return kStop.has_hash(term) || kPale.has_hash(term);
}

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
    const std::uint64_t term = hash64({word.data(), length});
    if (!tells_nothing(term)) terms.push_back(term);
  }
  return terms;
}

std::size_t telling_words(std::string_view text) {
  std::size_t paired = 0;
  for (std::size_t at = 0; at < text.size();) {
    const tokenizer::Script script = tokenizer::script_of(tokenizer::next_character(text, at));
    if (tokenizer::is_paired(script) && script != tokenizer::Script::hangul) ++paired;
  }
  return content_terms(text).size() + paired / 2;
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

// Returns the slot of the term, or the empty slot where it would be inserted. Terms are hashes already.
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
  heaviest_ = 1.0;  // keeps all weights low when no term stands out
  for (Term& term : terms_) {
    if (term.total < 2) continue;  // a single occurrence: a detail, or a typo
    double idf = std::log(1.0 + documents_ / static_cast<double>(term.documents));
    if (documents_ >= 3) idf = std::max(0.0, idf - 0.6);  // a word in every exchange is uninformative
    term.weight = std::log(1.0 + term.total) * idf;
    heaviest_ = std::max(heaviest_, term.weight);
  }
}

double TermWeights::overlap(std::span<const std::uint32_t> numbers) const {
  if (numbers.empty() || heaviest_ <= 0) return 0;
  double sum = 0;
  for (const std::uint32_t n : numbers)
    sum += terms_[n].weight / heaviest_;
  // Normalises by length, so that long sentences do not win for their length alone.
  return std::min(1.0, sum / std::pow(static_cast<double>(numbers.size()), 0.75));
}

double cue_score(std::string_view sentence) {
  sentence = sentence.substr(0, 600);
  double score = 0;
  for (const CueHit& hit : cues().all(sentence, Cue::telling))
    score += hit.weight;
  if (ends_in_question_mark(sentence)) score += 1.0;
  return std::clamp(score, -2.5, 3.0);
}

}  // namespace memd
