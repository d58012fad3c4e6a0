#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace memd::embedding {

// BERT's normaliser (uncased: clean text, spaces around CJK, accents stripped, lower case) and pre-tokeniser, character
// by character, as HuggingFace tokenizers has them.
enum class CharKind : std::uint8_t {
  part,     // of a word
  dropped,  // control characters, combining marks, what is not UTF-8
  space,    // ends a word
  alone,    // a word of its own: punctuation, CJK ideographs
};

struct NormalChar {
  CharKind kind = CharKind::dropped;
  std::uint8_t size = 0;        // bytes in `text`
  std::uint8_t characters = 0;  // that these are
  char text[12] = {};           // UTF-8
};

// The character at `at` (< text.size()), which is moved behind it.
NormalChar next_char(std::string_view text, std::size_t& at);

// The same for ASCII, where every character becomes one.
struct AsciiTable {
  CharKind kind[128];
  char text[128];
};
extern const AsciiTable kAscii;

// BERT's uncased tokeniser: words of normalised text, each cut greedily into the longest pieces of a vocabulary. What
// spells a special token is plain text. Immutable, so thread-safe.
class Wordpiece {
 public:
  // One token a line, in the order of ids; pieces inside a word begin with "##". The text must outlive this. Without
  // "[UNK]", words that cannot be spelled have no token.
  explicit Wordpiece(std::string_view vocabulary);

  std::uint32_t size() const { return static_cast<std::uint32_t>(starts_.size() - 1); }
  std::string_view token(std::uint32_t id) const {
    return vocabulary_.substr(starts_[id], starts_[id + 1] - starts_[id] - 1);
  }

  // Appends the ids of `text`. Bytes that are not UTF-8 are as if they were not there.
  void tokenize(std::string_view text, std::vector<std::uint32_t>& ids) const;
  // Stands for a word that cannot be spelled: that of "[UNK]", or no id at all.
  bool is_unknown(std::uint32_t id) const { return id == unknown_; }

 private:
  struct Slot {
    std::uint32_t tag = 0;  // upper half of the hash
    std::uint32_t id = kNone;
  };
  struct Word;  // being read
  static constexpr std::uint32_t kNone = UINT32_MAX;

  void insert(std::uint32_t id);
  // `inner`: a piece that does not begin its word; hash: of the bytes of `piece`.
  std::uint32_t find(std::string_view piece, std::uint64_t hash, bool inner) const;
  void finish(Word& word, std::vector<std::uint32_t>& ids) const;
  void split(const Word& word, std::vector<std::uint32_t>& ids) const;

  std::string_view vocabulary_;
  std::vector<std::uint32_t> starts_;  // of tokens in vocabulary_, and one behind the last
  std::vector<Slot> slots_;            // open addressing, a power of two
  // Of pieces by how they begin, the long ones by themselves. Bit n: some have n bytes; 31: or more.
  std::vector<std::uint32_t> lengths_;
  std::vector<std::uint32_t> long_lengths_;
  std::size_t longest_ = 0;  // bytes of a piece
  std::uint32_t unknown_ = kNone;
};

}  // namespace memd::embedding
