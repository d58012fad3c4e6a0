#include "store/enrich/topics/phrase_table.hpp"

#include "store/insight/topics/token_shape.hpp"

#include <algorithm>
#include <bit>

namespace memd::topics {
namespace {

bool separates(const GradedToken& t) {
  return t.facts.stem == 0 || t.facts.grade == WordGrade::border || t.facts.grade == WordGrade::verb;
}

bool is_named(const ProseToken& t) {
  if (t.shape != TokenShape::word) return true;
  return !t.capital && t.text[0] >= 'A' && t.text[0] <= 'Z';
}

}  // namespace

void PhraseTable::clear(std::size_t tokens) {
  phrases_.clear();
  slots_.assign(std::bit_ceil(std::max<std::size_t>(tokens * kLongestPhrase * 2, 64)), 0);
}

std::size_t PhraseTable::slot_of(const PhraseKey& key) const {
  std::uint64_t h = key.stems[0];
  h = h * 0x9E3779B97F4A7C15ULL + key.stems[1];
  h = h * 0x9E3779B97F4A7C15ULL + key.stems[2];
  h ^= h >> 32U;
  h *= 0xD6E8FEB86659FD93ULL;
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = (h >> 20U) & mask;
  while (slots_[slot] != 0 && phrases_[slots_[slot] - 1].key != key)
    slot = (slot + 1) & mask;
  return slot;
}

Phrase& PhraseTable::at(const PhraseKey& key, std::uint32_t token) {
  std::uint32_t& slot = slots_[slot_of(key)];
  if (slot == 0) {
    Phrase fresh;
    fresh.key = key;
    fresh.first = token;
    phrases_.push_back(fresh);
    slot = static_cast<std::uint32_t>(phrases_.size());
  }
  return phrases_[slot - 1];
}

const Phrase* PhraseTable::find(const PhraseKey& key) const {
  const std::uint32_t slot = slots_[slot_of(key)];
  return slot == 0 ? nullptr : &phrases_[slot - 1];
}

bool phrase_at(std::span<const GradedToken> tokens, std::size_t first, std::size_t length, PhraseKey& key) {
  if (first + length > tokens.size()) return false;
  key = {};
  for (std::size_t k = 0; k < length; ++k) {
    const GradedToken& t = tokens[first + k];
    if (separates(t) || (k > 0 && (t.token.border || t.facts.stem == tokens[first + k - 1].facts.stem))) return false;
    key.stems[k] = t.facts.stem;
  }
  return true;
}

void collect_phrases(std::span<const GradedToken> tokens, PhraseTable& table) {
  table.clear(tokens.size());
  PhraseKey key;
  for (std::size_t i = 0; i < tokens.size(); ++i)
    for (std::size_t length = 1; length <= kLongestPhrase && phrase_at(tokens, i, length, key); ++length) {
      const ProseToken& last = tokens[i + length - 1].token;
      Phrase& p = table.at(key, static_cast<std::uint32_t>(i));
      ++p.count;
      p.weight += tokens[i].token.weight;
      (last.from_user ? p.by_user : p.by_agent) = true;
      p.named = p.named || is_named(last) || is_named(tokens[i].token);
    }
}

}  // namespace memd::topics
