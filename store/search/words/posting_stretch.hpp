#pragma once

#include "store/search/words/full_text_index.hpp"
#include "store/search/words/match_scorer.hpp"
#include "store/search/words/query_plan.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace memd::search {

// The posting-list entries and positions of a query's words in one stretch (range of kDocuments ids). Stretches are
// processed in ascending order. Documents are numbered from the start of the stretch.
//
// For one query, inside one transaction, on the thread of the connection, which it borrows. Takes about 30 bytes per
// word and document. Throws ErrorException.
class PostingStretch {
 public:
  static constexpr std::int64_t kDocuments = 1 << 14;

  // A spelling of a term: consecutive words, as indexes into words_.
  struct Form {
    std::vector<std::size_t> words;
    double weight;
  };
  struct Entry {
    std::uint32_t document;
    std::uint32_t offset;  // of its positions
    std::uint32_t bytes;
  };

  explicit PostingStretch(FullTextIndex& index);

  Form add(const TermForm& form);  // before the first begin()
  // Returns the smallest id after the entries read so far that contains a word of these terms; kNone: there is none.
  static constexpr ExchangeId kNone = INT64_MAX;
  ExchangeId next_document(const std::vector<std::vector<Form>>& terms) const;

  void begin(ExchangeId base);  // drops the previous stretch
  ExchangeId base() const { return base_; }
  // Marks a document, so that load() with `only_wanted` keeps its entries.
  void want(std::uint32_t document) { wanted_[document / 64] |= bit_of(document); }
  // Loads the words of a form that are not loaded yet. `only_wanted`: skips entries of unmarked documents.
  void load(const Form& form, bool only_wanted);
  void load_all(bool only_wanted);  // loads all words that are not loaded yet
  // Calls found(entry) in ascending order for each document that contains all words of the form, adjacent or not.
  template <class Found>
  void each_document(const Form& form, Found&& found) const;
  // Returns an upper bound of the number of occurrences in an entry.
  std::size_t most_occurrences(const Entry& entry) const;

  // Returns to the first document. Calls of holds() must be in ascending order of documents.
  void rewind();
  // Returns whether the document contains the words of the form consecutively. Appends their places to `hits` unless
  // null.
  bool holds(const Form& form, std::uint32_t document, TermHits* hits);

 private:
  struct Word {
    std::vector<PostingCursor> cursors;
    std::vector<Entry> entries;  // of the stretch
    std::size_t at = 0;          // first entry that is not before the last queried document
    bool loaded = false;
    std::int64_t decoded = -1;  // document that `places` belongs to; -1: none
    std::vector<std::int64_t> places;
  };
  static std::uint64_t bit_of(std::uint32_t document) { return std::uint64_t{1} << document % 64; }
  bool is_wanted(std::uint32_t document) const { return (wanted_[document / 64] & bit_of(document)) != 0; }
  void load(Word& word, bool only_wanted);
  void put_in_order(std::vector<Entry>& entries);
  const std::vector<Entry>& shortest_of(const Form& form) const;
  bool has_entry(std::size_t word, const Entry& like) const;
  PositionReader positions_of(Word& word, std::uint32_t document) const;
  const std::vector<std::int64_t>& places_of(Word& word, std::uint32_t document);
  bool add_places(const Form& form, std::uint32_t document, TermHits& hits);

  FullTextIndex& index_;
  std::vector<Word> words_;
  std::unordered_map<std::string, std::size_t> word_numbers_;  // by stem
  ExchangeId base_ = 0;
  PositionBytes positions_;            // of all entries, in the encoding of the index
  std::vector<std::uint64_t> wanted_;  // one bit per document
  // Used while one word is loaded.
  std::vector<std::uint64_t> claimed_;  // one bit per document: a newer segment has its entry
  std::vector<std::size_t> runs_;       // where the entries of each segment begin
  std::vector<Entry> ordered_;
};

template <class Found>
void PostingStretch::each_document(const Form& form, Found&& found) const {
  const std::vector<Entry>& shortest = shortest_of(form);
  for (const Entry& entry : shortest) {
    bool all = true;
    for (std::size_t i = 0; all && i < form.words.size(); ++i)
      all = &words_[form.words[i]].entries == &shortest || has_entry(form.words[i], entry);
    if (all) found(entry);
  }
}

}  // namespace memd::search
