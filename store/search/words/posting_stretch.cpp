#include "store/search/words/posting_stretch.hpp"

#include <algorithm>

namespace memd::search {
namespace {

constexpr std::size_t kPlaces = 128;  // most positions read of one word in one document

}  // namespace

PostingStretch::PostingStretch(FullTextIndex& index) : index_(index), wanted_(kDocuments / 64) { index_.refresh(); }

PostingStretch::Form PostingStretch::add(const TermForm& form) {
  Form out{{}, form.weight};
  for (const std::string& stem : form.stems) {
    const auto [known, fresh] = word_numbers_.try_emplace(stem, words_.size());
    if (fresh) words_.emplace_back().cursors = index_.find(stem);
    out.words.push_back(known->second);
  }
  return out;
}

ExchangeId PostingStretch::next_document(const std::vector<std::vector<Form>>& terms) const {
  ExchangeId out = kNone;
  for (const auto& forms : terms)
    for (const Form& form : forms)
      for (const std::size_t word : form.words)
        for (const PostingCursor& cursor : words_[word].cursors)
          if (!cursor.at_end()) out = std::min(out, cursor.id());
  return out;
}

void PostingStretch::begin(ExchangeId base) {
  base_ = base;
  positions_.clear();
  std::fill(wanted_.begin(), wanted_.end(), 0);
  for (Word& word : words_) {
    word.entries.clear();
    word.at = 0;
    word.loaded = false;
    word.decoded = -1;
  }
}

void PostingStretch::load(const Form& form, bool only_wanted) {
  for (const std::size_t word : form.words)
    load(words_[word], only_wanted);
}

void PostingStretch::load_all(bool only_wanted) {
  for (Word& word : words_)
    load(word, only_wanted);
}

void PostingStretch::load(Word& word, bool only_wanted) {
  if (word.loaded) return;
  word.loaded = true;
  const ExchangeId end = base_ + kDocuments;
  const bool several = word.cursors.size() > 1;
  if (several) claimed_.assign(kDocuments / 64, 0);
  runs_.clear();
  for (PostingCursor& cursor : word.cursors) {
    runs_.push_back(word.entries.size());
    for (; !cursor.at_end() && cursor.id() < end; cursor.next()) {
      if (cursor.id() < base_) continue;
      const auto document = static_cast<std::uint32_t>(cursor.id() - base_);
      if (several) {
        std::uint64_t& bits = claimed_[document / 64];
        if ((bits & bit_of(document)) != 0) continue;
        bits |= bit_of(document);
      }
      if (cursor.bytes() == 0 || (only_wanted && !is_wanted(document))) continue;
      const std::size_t offset = positions_.size();
      word.entries.push_back(
          {document, static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(cursor.bytes())});
      cursor.append_positions(positions_);
    }
  }
  if (several) put_in_order(word.entries);
}

// The entries are sorted runs, one per segment of the index. Runs seldom overlap, because a segment holds documents
// that were written at about the same time.
void PostingStretch::put_in_order(std::vector<Entry>& entries) {
  const auto earlier = [](const Entry& a, const Entry& b) { return a.document < b.document; };
  if (std::is_sorted(entries.begin(), entries.end(), earlier)) return;
  const auto end_of = [&](std::size_t begin) {
    const auto next = std::upper_bound(runs_.begin(), runs_.end(), begin);
    return next != runs_.end() ? *next : entries.size();
  };
  std::vector<std::size_t> begins;
  for (const std::size_t begin : runs_)
    if (end_of(begin) > begin && (begins.empty() || begins.back() != begin)) begins.push_back(begin);
  std::sort(begins.begin(), begins.end(),
            [&](std::size_t a, std::size_t b) { return earlier(entries[a], entries[b]); });
  ordered_.clear();
  for (const std::size_t begin : begins) {
    const auto sorted = static_cast<std::ptrdiff_t>(ordered_.size());
    ordered_.insert(ordered_.end(), entries.begin() + static_cast<std::ptrdiff_t>(begin),
                    entries.begin() + static_cast<std::ptrdiff_t>(end_of(begin)));
    if (sorted > 0 &&
        earlier(ordered_[static_cast<std::size_t>(sorted)], ordered_[static_cast<std::size_t>(sorted) - 1]))
      std::inplace_merge(ordered_.begin(), ordered_.begin() + sorted, ordered_.end(), earlier);
  }
  entries.swap(ordered_);
}

const std::vector<PostingStretch::Entry>& PostingStretch::shortest_of(const Form& form) const {
  const auto shortest = *std::min_element(form.words.begin(), form.words.end(), [this](std::size_t a, std::size_t b) {
    return words_[a].entries.size() < words_[b].entries.size();
  });
  return words_[shortest].entries;
}

bool PostingStretch::has_entry(std::size_t word, const Entry& like) const {
  const auto& entries = words_[word].entries;
  return std::binary_search(entries.begin(), entries.end(), like,
                            [](const Entry& a, const Entry& b) { return a.document < b.document; });
}

// An occurrence takes at least one byte. The marker of a column other than the first takes two.
std::size_t PostingStretch::most_occurrences(const Entry& entry) const {
  constexpr char kColumn = 1;
  return entry.bytes > 2 && positions_.at(entry.offset) == kColumn ? entry.bytes - 2 : entry.bytes;
}

void PostingStretch::rewind() {
  for (Word& word : words_)
    word.at = 0;
}

PositionReader PostingStretch::positions_of(Word& word, std::uint32_t document) const {
  while (word.at < word.entries.size() && word.entries[word.at].document < document)
    ++word.at;
  if (word.at == word.entries.size() || word.entries[word.at].document != document) return PositionReader({});
  const Entry& entry = word.entries[word.at];
  return PositionReader(positions_.view().substr(entry.offset, entry.bytes));
}

const std::vector<std::int64_t>& PostingStretch::places_of(Word& word, std::uint32_t document) {
  if (word.decoded == document) return word.places;
  word.decoded = document;
  word.places.clear();
  for (PositionReader p = positions_of(word, document); word.places.size() < kPlaces && p.next();)
    word.places.push_back(static_cast<std::int64_t>(p.column()) << 32 | p.word());
  return word.places;
}

// For forms of one word.
bool PostingStretch::add_places(const Form& form, std::uint32_t document, TermHits& hits) {
  const std::size_t before = hits.places.size();
  for (PositionReader p = positions_of(words_[form.words.front()], document);
       hits.places.size() < kPlaces && p.next();) {
    hits.weight += form.weight;
    hits.places.push_back(static_cast<std::int64_t>(p.column()) << 32 | p.word());
  }
  return hits.places.size() > before;
}

bool PostingStretch::holds(const Form& form, std::uint32_t document, TermHits* hits) {
  if (form.words.size() == 1 && hits != nullptr) return add_places(form, document, *hits);
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

}  // namespace memd::search
