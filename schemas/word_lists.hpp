#pragma once

#include "schemas/embedded.hpp"
#include "schemas/hash.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

// Words that belong together. Constant after construction; every thread may ask.
class WordList {
 public:
  explicit WordList(std::vector<std::string> words);

  bool has(std::string_view word) const { return has_hash(hash64(word)); }
  // Takes the word's hash64(), for callers that have computed it already.
  bool has_hash(std::uint64_t hash) const {
    for (std::size_t at = slot_of(hash); slots_[at] != 0; at = (at + 1) & (slots_.size() - 1))
      if (slots_[at] == (hash | 1)) return true;
    return false;
  }

  // The longest first, equal ones in order: an ending comes before those that it ends in itself.
  auto begin() const { return words_.begin(); }
  auto end() const { return words_.end(); }

 private:
  std::size_t slot_of(std::uint64_t hash) const { return (hash >> 1) & (slots_.size() - 1); }

  std::vector<std::string> words_;
  std::vector<std::uint64_t> slots_;  // open addressing: hashes with the last bit set, 0 in an empty slot; a power of
                                      // two of them, at most half full
};

// Reads data files of words:
//
//   # a comment, on a line of its own
//   [stop verb]     the words that follow are of these lists
//   a about uv~run  words, with blanks or line ends between them; ~ is a blank inside of one
//
// A list may stand in several places and files; it is one. Gives a list for each of `names`, in their order. Throws
// std::logic_error where a word is of no list, a list is none of `names`, or one of them has no words.
std::vector<WordList> read_word_lists(std::span<const embedded::EmbeddedFile> files,
                                      std::span<const std::string_view> names);

}  // namespace memd
