// The part of PostingWalk that looks at one document.
#include "store/search/words/posting_walk.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace memd::search {
namespace {

constexpr std::size_t kPlaces = 128;  // of one word in one document

}  // namespace

// Its occurrences at most: each takes a byte or more, and a column other than the first is announced by two.
std::size_t PostingWalk::most_occurrences(const Entry& entry) const {
  constexpr char kColumn = 1;
  return entry.bytes > 2 && positions_[entry.offset] == kColumn ? entry.bytes - 2 : entry.bytes;
}

void PostingWalk::touch(std::size_t term, const Form& form, const Entry& entry) {
  Document& d = documents_[entry.document];
  const double idf = plan_.terms[term].idf * plan_.terms[term].found_weight;
  if (d.softness == 0) {
    const auto words = static_cast<double>(lengths_.known_words(base_ + entry.document));
    d.softness = static_cast<float>(MatchScorer::softness(words / index_.mean_length()));
  }
  d.bm25 += static_cast<float>(
      idf * MatchScorer::saturated(form.weight * static_cast<double>(most_occurrences(entry)), d.softness));
  if ((d.terms & 1U << term) != 0) return;
  touched_[entry.document / 64] |= std::uint64_t{1} << entry.document % 64;
  d.terms |= 1U << term;
  d.found_idf += static_cast<float>(idf);
}

PositionReader PostingWalk::positions_of(Word& word, std::uint32_t document) const {
  while (word.at < word.entries.size() && word.entries[word.at].document < document)
    ++word.at;
  if (word.at == word.entries.size() || word.entries[word.at].document != document) return PositionReader({});
  const Entry& entry = word.entries[word.at];
  return PositionReader(std::string_view(positions_).substr(entry.offset, entry.bytes));
}

const std::vector<std::int64_t>& PostingWalk::places_of(Word& word, std::uint32_t document) {
  if (word.decoded == document) return word.places;
  word.decoded = document;
  word.places.clear();
  for (PositionReader p = positions_of(word, document); word.places.size() < kPlaces && p.next();)
    word.places.push_back(static_cast<std::int64_t>(p.column()) << 32 | p.word());
  return word.places;
}

bool PostingWalk::add_word(const Form& form, std::uint32_t document, TermHits& hits) {
  const std::size_t before = hits.places.size();
  for (PositionReader p = positions_of(words_[form.words.front()], document);
       hits.places.size() < kPlaces && p.next();) {
    hits.weight += form.weight;
    hits.places.push_back(static_cast<std::int64_t>(p.column()) << 32 | p.word());
  }
  return hits.places.size() > before;
}

bool PostingWalk::holds(const Form& form, std::uint32_t document, TermHits* hits) {
  if (form.words.size() == 1 && hits != nullptr) return add_word(form, document, *hits);
  bool found = false;
  for (const std::int64_t start : places_of(words_[form.words.front()], document)) {
    bool follows = true;
    for (std::size_t i = 1; follows && i < form.words.size(); ++i) {
      const auto& places = places_of(words_[form.words[i]], document);
      follows = std::binary_search(places.begin(), places.end(), start + static_cast<std::int64_t>(i));
    }
    if (!follows) continue;
    found = true;
    if (hits == nullptr) break;
    hits->weight += form.weight;
    hits->places.push_back(start);
  }
  return found;
}

bool PostingWalk::find_hits(std::uint32_t document) {
  const std::uint32_t present = documents_[document].terms;
  bool all_required = true;
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    TermHits& hits = hits_[i];
    hits.weight = 0;
    hits.places.clear();
    if ((present & 1U << i) == 0) continue;
    int forms = 0;
    for (const Form& form : terms_[i])
      forms += holds(form, document, &hits) ? 1 : 0;
    if (forms > 1) std::sort(hits.places.begin(), hits.places.end());
    all_required &= !plan_.terms[i].required || forms > 0;
  }
  return all_required && std::none_of(forbidden_.begin(), forbidden_.end(),
                                      [&](const Form& form) { return holds(form, document, nullptr); });
}

double PostingWalk::identifier_share(std::uint32_t document) {
  if (identifiers_.empty()) return 0;
  const auto found = std::count_if(identifiers_.begin(), identifiers_.end(), [&](const std::vector<Form>& forms) {
    return std::any_of(forms.begin(), forms.end(), [&](const Form& form) { return holds(form, document, nullptr); });
  });
  return static_cast<double>(found) / static_cast<double>(identifiers_.size());
}

double PostingWalk::least_length() const {
  std::array<std::int64_t, 4> words{};
  for (const TermHits& hits : hits_)
    for (std::size_t i = hits.places.size(); i-- > 0;) {
      const auto column = static_cast<std::size_t>(hits.places[i] >> 32);
      if (column < words.size()) words[column] = std::max(words[column], (hits.places[i] & 0xFFFFFFFF) + 1);
      // They are sorted: what stands before the last of a column says nothing new.
      if (i + 1 == hits.places.size() && column == 0) break;
    }
  return static_cast<double>(std::accumulate(words.begin(), words.end(), std::int64_t{0}));
}

// The length may cost a lookup; where its words stand says how long it is at least.
double PostingWalk::least_length_ratio(ExchangeId id) const {
  const std::int64_t known = lengths_.known_words(id);
  return (known != 0 ? static_cast<double>(known) : least_length()) / index_.mean_length();
}

Match PostingWalk::match(ExchangeId id) {
  const std::int64_t words = lengths_.words(id);
  Match out = scorer_.match(hits_, static_cast<double>(words) / index_.mean_length());
  out.features.brevity = brevity_of(words);
  return out;
}

LexicalCandidate PostingWalk::wordless(ExchangeId id) {
  LexicalCandidate out{id, 0, {}, 0};
  out.features.brevity = brevity_of(lengths_.words(id));
  return out;
}

}  // namespace memd::search
