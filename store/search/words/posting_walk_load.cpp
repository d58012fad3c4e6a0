#include "store/search/words/posting_walk.hpp"

#include <algorithm>

namespace memd::search {

// The entries of the stretch; with `only_touched` those of documents that are of interest already.
void PostingWalk::load(Word& word, bool only_touched) {
  if (word.loaded) return;
  word.loaded = true;
  const ExchangeId end = base_ + kStretch;
  const bool several = word.cursors.size() > 1;
  if (several) claimed_.assign(kStretch / 64, 0);
  runs_.clear();
  for (PostingCursor& cursor : word.cursors) {
    runs_.push_back(word.entries.size());
    for (; !cursor.at_end() && cursor.id() < end; cursor.next()) {
      if (cursor.id() < base_) continue;
      const auto document = static_cast<std::uint32_t>(cursor.id() - base_);
      if (several) {
        std::uint64_t& bits = claimed_[document / 64];
        const std::uint64_t bit = std::uint64_t{1} << document % 64;
        if ((bits & bit) != 0) continue;
        bits |= bit;
      }
      if (cursor.bytes() == 0 || (only_touched && documents_[document].terms == 0)) continue;
      const std::size_t offset = positions_.size();
      word.entries.push_back(
          {document, static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(cursor.bytes())});
      cursor.append_positions(positions_);
    }
  }
  if (several) put_in_order(word.entries);
}

// Entries come in sorted runs, one a segment of the index, that seldom lap over each other: a segment holds what was
// written at one time.
void PostingWalk::put_in_order(std::vector<Entry>& entries) {
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

// Documents that hold all words of a form, side by side or not.
template <class Found>
void PostingWalk::each_document(const Form& form, Found&& found) const {
  const auto shortest = *std::min_element(form.words.begin(), form.words.end(), [this](std::size_t a, std::size_t b) {
    return words_[a].entries.size() < words_[b].entries.size();
  });
  for (const Entry& entry : words_[shortest].entries)
    if (std::all_of(form.words.begin(), form.words.end(), [&](std::size_t word) {
          const auto& entries = words_[word].entries;
          return word == shortest ||
                 std::binary_search(entries.begin(), entries.end(), entry,
                                    [](const Entry& a, const Entry& b) { return a.document < b.document; });
        }))
      found(entry);
}

void PostingWalk::load_term(std::size_t term, bool only_touched) {
  for (const Form& form : terms_[term]) {
    for (const std::size_t word : form.words)
      load(words_[word], only_touched);
    each_document(form, [&](const Entry& entry) { touch(term, form, entry); });
  }
}

void PostingWalk::mark(std::span<const ExchangeId> sorted, std::uint32_t flag) {
  const auto from = std::lower_bound(sorted.begin(), sorted.end(), base_);
  for (auto id = from; id != sorted.end() && *id < base_ + kStretch; ++id) {
    marked_.push_back(static_cast<std::uint32_t>(*id - base_));
    documents_[marked_.back()].terms |= flag;
  }
}

void PostingWalk::load_stretch(ExchangeId base, std::span<const ExchangeId> only, std::span<const ExchangeId> also,
                               double threshold) {
  base_ = base;
  positions_.clear();
  each_touched([this](std::uint32_t document) { documents_[document] = {}; });
  for (const std::uint32_t document : marked_)
    documents_[document] = {};
  marked_.clear();
  std::fill(touched_.begin(), touched_.end(), 0);
  for (Word& word : words_) {
    word.entries.clear();
    word.at = 0;
    word.loaded = false;
    word.decoded = -1;
  }
  mark(only, kListed);
  mark(also, kAlso);
  for (std::size_t i = 0; i < terms_.size(); ++i)
    load_term(i, !only.empty() || !plan_.terms[i].drives || scorer_.bound(idf_from_[i] + kRounding) < threshold);
  // What is left only says more about documents that are of interest.
  for (Word& word : words_)
    load(word, true);
}

}  // namespace memd::search
