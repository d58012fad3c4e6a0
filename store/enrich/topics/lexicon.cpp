#include "store/enrich/topics/lexicon.hpp"

#include "schemas/base/ascii.hpp"
#include "store/text/words.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace memd::topics {
namespace {

constexpr std::size_t kRememberedWords = 60'000;

// Size of the prior: a young store has little data on rarity. Counts are computed as if this many exchanges existed
// already, with words of each grade at the usual rate. Topics therefore change little while the store grows.
constexpr double kUsualExchanges = 1000;
constexpr double usual_with(WordGrade grade) {
  switch (grade) {
    case WordGrade::border:
    case WordGrade::verb: return 400;
    case WordGrade::filler: return 250;
    case WordGrade::common: return 60;
    case WordGrade::telling: return 2;
  }
  return 2;
}
std::string joined(const std::vector<search::Token>& tokens) {
  std::string out;
  for (const search::Token& t : tokens)
    out.append(out.empty() ? "" : " ").append(t.stem);
  return out;
}

constexpr double kRarest = 6.9;  // ln(1000): rarer words are odd rather than informative

}  // namespace

Lexicon::Lexicon(sqlite::Database& db) : tokenizer_(db.handle()), statistics_(db) {
  // If words of several grades share a stem, the last grade wins.
  for (const auto& [list, grade] :
       {std::pair(WordClass::verb, WordGrade::verb), std::pair(WordClass::filler, WordGrade::filler),
        std::pair(WordClass::common, WordGrade::common), std::pair(WordClass::border, WordGrade::border)})
    for (const std::string& word : words(list))
      for (const search::Token& t : tokens_of(word))
        grades_.insert_or_assign(t.stem, grade);
  for (const std::string& word : words(WordClass::stop))
    for (const search::Token& t : tokens_of(word))
      grades_.try_emplace(t.stem, WordGrade::border);
  stems_.emplace_back();
}

void Lexicon::refresh() {
  statistics_.refresh();
  const std::int64_t now = statistics_.documents();
  if (words_.size() < kRememberedWords && now >= documents_ && now - documents_ <= documents_ / 10) return;
  documents_ = now;
  words_.clear();
  ids_.clear();
  stems_.resize(1);
}

WordFacts Lexicon::facts(std::string_view word) {
  if (const auto known = words_.find(word); known != words_.end()) return known->second;
  const WordFacts facts = look_up(word);
  words_.emplace(word, facts);
  return facts;
}

WordFacts Lexicon::look_up(std::string_view word) {
  WordFacts out;
  if (tokens_of(word).empty()) return out;
  if (tokens_.size() == 1)
    if (const auto grade = grades_.find(tokens_[0].stem); grade != grades_.end()) out.grade = grade->second;
  const auto [it, fresh] = ids_.try_emplace(joined(tokens_), static_cast<StemId>(stems_.size()));
  if (fresh) stems_.push_back({it->first});
  out.stem = it->second;
  return out;
}

const std::vector<search::Token>& Lexicon::tokens_of(std::string_view word) {
  tokens_.clear();
  tokenizer_.tokenize(word, tokens_);
  return tokens_;
}

Rarity Lexicon::rarity(WordFacts word) {
  Stem& stem = stems_[word.stem];
  if (stem.documents < 0) {
    stem.documents = INT64_MAX;
    for (std::size_t begin = 0; begin < stem.text.size();) {
      const std::size_t end = std::min(stem.text.find(' ', begin), stem.text.size());
      const std::string_view part = std::string_view(stem.text).substr(begin, end - begin);
      stem.documents = std::min(stem.documents, statistics_.document_frequency(part));
      begin = end + 1;
    }
  }
  const double all = static_cast<double>(documents_) + kUsualExchanges;
  const double with = static_cast<double>(stem.documents) + usual_with(word.grade);
  return {static_cast<float>(std::clamp(std::log(all / with) / kRarest, 0.0, 1.0)), stem.documents <= 1};
}

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

std::string without_capital(std::string_view word) {
  std::string out(word);
  if (out.empty()) return out;
  if (ascii::is_upper(out[0])) {
    if (std::none_of(out.begin() + 1, out.end(), ascii::is_upper)) out[0] = ascii::lower(out[0]);
  } else if (out.size() > 3 && out[0] == '\xD0') {  // А…Я
    const auto next = static_cast<unsigned char>(out[1]);
    if (out[2] == '\xD0' && static_cast<unsigned char>(out[3]) < 0xB0) return out;
    if (next >= 0x90 && next <= 0x9F) {
      out[1] = static_cast<char>(next + 0x20);
    } else if (next >= 0xA0 && next <= 0xAF) {
      out[0] = '\xD1';
      out[1] = static_cast<char>(next - 0x20);
    }
  }
  return out;
}

std::string spelling_of(std::span<const GradedToken> tokens, const Phrase& phrase) {
  const std::size_t n = phrase.key.length();
  std::vector<std::pair<std::string, int>> forms;
  constexpr int kEnough = 24;  // occurrences
  int seen = 0;
  PhraseKey key;
  for (std::size_t i = phrase.first; i + n <= tokens.size() && seen < kEnough; ++i) {
    if (tokens[i].facts.stem != phrase.key.stems[0] || !phrase_at(tokens, i, n, key) || key != phrase.key) continue;
    std::string form;
    for (std::size_t k = 0; k < n; ++k) {
      const ProseToken& t = tokens[i + k].token;
      if (k > 0) form += ' ';
      const bool small = t.capital || (t.shape == TokenShape::word && n > 1 && tokens[i].token.capital);
      form += t.shape == TokenShape::word && small ? without_capital(t.text) : std::string(t.text);
    }
    ++seen;
    const auto it = std::find_if(forms.begin(), forms.end(), [&](const auto& f) { return f.first == form; });
    if (it == forms.end())
      forms.emplace_back(std::move(form), 1);
    else
      ++it->second;
  }
  const auto best =
      std::max_element(forms.begin(), forms.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return best == forms.end() ? std::string() : best->first;
}

}  // namespace memd::topics
