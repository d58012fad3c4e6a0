#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace memd::embedding {

// BERT's normaliser (uncased: clean text, spaces around CJK, accents stripped, lower case) and pre-tokeniser, character
// by character, equivalent to those of HuggingFace tokenizers.
enum class CharKind : std::uint8_t {
  part,     // part of a word
  dropped,  // control characters, combining marks, invalid UTF-8
  space,    // ends a word
  alone,    // a word of its own: punctuation, CJK ideographs
};

struct NormalChar {
  CharKind kind = CharKind::dropped;
  std::uint8_t size = 0;        // bytes in `text`
  std::uint8_t characters = 0;  // number of characters in `text`
  char text[12] = {};           // UTF-8
};

// Decodes the character at `at` (< text.size()) and advances `at`.
NormalChar next_char(std::string_view text, std::size_t& at);

// The same for ASCII, where every character maps to one.
struct AsciiTable {
  CharKind kind[128];
  char text[128];
};
extern const AsciiTable kAscii;

// BERT's uncased tokeniser: words of normalised text, each split greedily into the longest pieces of a vocabulary. The
// spelling of a special token is treated as plain text. Immutable, so thread-safe.
class Wordpiece {
 public:
  // `vocabulary`: one token per line, in the order of ids; pieces inside a word begin with "##". It must outlive this
  // object. Without "[UNK]", words that cannot be spelled give no token.
  explicit Wordpiece(std::string_view vocabulary);

  std::uint32_t size() const { return static_cast<std::uint32_t>(starts_.size() - 1); }
  std::string_view token(std::uint32_t id) const {
    return vocabulary_.substr(starts_[id], starts_[id + 1] - starts_[id] - 1);
  }

  // Appends the ids of `text`. Skips invalid UTF-8.
  void tokenize(std::string_view text, std::vector<std::uint32_t>& ids) const;
  // Returns whether the id is that of "[UNK]", for a word that cannot be spelled.
  bool is_unknown(std::uint32_t id) const { return id == unknown_; }

 private:
  struct Slot {
    std::uint32_t tag = 0;  // upper half of the hash
    std::uint32_t id = kNone;
  };
  struct Word;  // being read
  static constexpr std::uint32_t kNone = UINT32_MAX;

  void insert(std::uint32_t id);
  // `inner`: a piece that does not start its word; `hash`: of the bytes of `piece`.
  std::uint32_t find(std::string_view piece, std::uint64_t hash, bool inner) const;
  void finish(Word& word, std::vector<std::uint32_t>& ids) const;
  void split(const Word& word, std::vector<std::uint32_t>& ids) const;

  std::string_view vocabulary_;
  std::vector<std::uint32_t> starts_;  // offset of each token in vocabulary_, and one past the last
  std::vector<Slot> slots_;            // open addressing, a power of two
  std::vector<std::uint64_t> exist_;   // a bit for the hash of each piece: most pieces sought do not exist
  // Lengths of the pieces by their first bytes, with long ones separate. Bit n: some have n bytes; bit 31: 31 or more.
  std::vector<std::uint32_t> lengths_;
  std::vector<std::uint32_t> long_lengths_;
  std::size_t longest_ = 0;  // length of the longest piece in bytes
  std::uint32_t unknown_ = kNone;
  std::array<std::uint32_t, 128> signs_{};  // by ASCII character that is a word of its own: its id; kNone: no token
};

}  // namespace memd::embedding
