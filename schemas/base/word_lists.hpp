#pragma once

#include "schemas/base/embedded.hpp"
#include "schemas/base/hash.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

// A set of words. Constant after construction; thread-safe.
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

  // Words by length, longest first, then in byte order. Therefore an ending precedes shorter endings of itself.
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
//   a about uv~run  words, with blanks or line ends between them; ~ is a blank inside a word
//
// Joins the parts of a list from several places and files. Returns a list for each of `names`, in their order. Throws
// std::logic_error when a '[' is not closed, a word is in no list, a list is not in `names`, or one of them has no
// words.
std::vector<WordList> read_word_lists(std::span<const embedded::EmbeddedFile> files,
                                      std::span<const std::string_view> names);

}  // namespace memd
