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

// The entries that the words of a question have in one stretch of documents, and where the words stand in each. The
// stretches are taken in ascending order. Documents are numbered from the stretch's begin.
//
// For one question, on one connection, inside one transaction. Memory: some 30 bytes a word and document. Throws
// ErrorException. Borrows the connection: its thread.
class PostingStretch {
 public:
  static constexpr std::int64_t kDocuments = 1 << 14;

  // One way to write a term: words that follow each other, by their numbers here.
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
  // The smallest id behind the entries read so far that holds a word of these terms; kNone: there is none.
  static constexpr ExchangeId kNone = INT64_MAX;
  ExchangeId next_document(const std::vector<std::vector<Form>>& terms) const;

  void begin(ExchangeId base);  // forgets the stretch before
  ExchangeId base() const { return base_; }
  // Wanted documents are those whose further entries are loaded, too.
  void want(std::uint32_t document) { wanted_[document / 64] |= bit_of(document); }
  // Loads the words of a form unless they are; `only_wanted`: entries of other documents are left out.
  void load(const Form& form, bool only_wanted);
  void load_all(bool only_wanted);  // that are not loaded yet
  // Calls found(entry) for each document that holds all words of the form, side by side or not, in order.
  template <class Found>
  void each_document(const Form& form, Found&& found) const;
  // Occurrences that an entry stands for, at most.
  std::size_t most_occurrences(const Entry& entry) const;

  // Documents are asked about in ascending order; rewind() begins anew.
  void rewind();
  // Whether the words of the form follow each other in the document. `hits`, where given, takes their places.
  bool holds(const Form& form, std::uint32_t document, TermHits* hits);

 private:
  struct Word {
    std::vector<PostingCursor> cursors;
    std::vector<Entry> entries;  // of the stretch
    std::size_t at = 0;          // entries before belong to documents that have been asked about
    bool loaded = false;
    std::int64_t decoded = -1;  // document whose places these are
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
  std::string positions_;              // of all entries, as the index holds them
  std::vector<std::uint64_t> wanted_;  // a bit a document
  // Used while one word is loaded.
  std::vector<std::uint64_t> claimed_;  // a bit a document: a newer segment has its entry
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
