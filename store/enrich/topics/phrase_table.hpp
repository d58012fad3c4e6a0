#pragma once

#include "store/enrich/topics/lexicon.hpp"
#include "store/insight/topics/prose.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memd::topics {

inline constexpr std::size_t kLongestPhrase = 3;  // words

// One to three stems in order.
struct PhraseKey {
  std::array<StemId, kLongestPhrase> stems{};  // 0 behind the last
  std::size_t length() const { return stems[1] == 0 ? 1 : stems[2] == 0 ? 2 : 3; }
  bool operator==(const PhraseKey&) const = default;
};

struct Phrase {
  PhraseKey key;
  std::uint32_t first = 0;  // token where it first begins
  std::uint32_t count = 0;
  float weight = 0;  // of all its occurrences
  bool by_user = false;
  bool by_agent = false;
  bool named = false;  // once at least an identifier, a file, or written with a capital inside a sentence
};

// The phrases of one text and how often they occur. Kept between texts for its memory.
class PhraseTable {
 public:
  void clear(std::size_t tokens);
  Phrase& at(const PhraseKey& key, std::uint32_t token);
  const Phrase* find(const PhraseKey& key) const;
  std::span<const Phrase> phrases() const { return phrases_; }

 private:
  std::size_t slot_of(const PhraseKey& key) const;

  std::vector<Phrase> phrases_;
  std::vector<std::uint32_t> slots_;  // index in phrases_ + 1; 0: free. A power of two, at most half full
};

struct GradedToken {
  ProseToken token;
  WordFacts facts;
};

// All phrases that could be a topic by their words, and all single words.
void collect_phrases(std::span<const GradedToken> tokens, PhraseTable& table);

// The phrase of `length` words at `first`, if nothing stands between them that no phrase goes across.
bool phrase_at(std::span<const GradedToken> tokens, std::size_t first, std::size_t length, PhraseKey& key);

// How a phrase is mostly written in a text, capitals that only begin a sentence made small.
std::string spelling_of(std::span<const GradedToken> tokens, const Phrase& phrase);

// The first letter made small (Latin, Cyrillic), unless another of its letters is a capital: GitHub, CLI.
std::string without_capital(std::string_view word);

}  // namespace memd::topics
