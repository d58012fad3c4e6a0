#include "store/enrich/embedding/wordpiece.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/utf8.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

namespace memd::embedding {
namespace {

constexpr utf8proc_int32_t kInvalid = 0xFFFD;  // dropped, as the reference implementation drops U+FFFD

// Decodes a character and advances `at` past it, or by one byte if the encoding is invalid.
utf8proc_int32_t decode(std::string_view text, std::size_t& at) {
  utf8proc_int32_t c = kInvalid;
  const auto* from = reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + at;
  const auto size = utf8proc_iterate(from, static_cast<utf8proc_ssize_t>(text.size() - at), &c);
  at += size > 0 ? static_cast<std::size_t>(size) : 1;
  return size > 0 ? c : kInvalid;
}

bool is_space(utf8proc_int32_t c, utf8proc_propval_t category) {
  return c == '\t' || c == '\n' || c == '\r' || (category >= UTF8PROC_CATEGORY_ZS && category <= UTF8PROC_CATEGORY_ZP);
}

// Control characters, characters of private use and combining marks.
bool is_dropped(utf8proc_int32_t c, utf8proc_propval_t category) {
  return c == kInvalid || category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CF ||
         category == UTF8PROC_CATEGORY_CO || category == UTF8PROC_CATEGORY_MN;
}

// The blocks that BERT lists.
bool is_ideograph(utf8proc_int32_t c) {
  const auto in = [c](utf8proc_int32_t first, utf8proc_int32_t last) { return c >= first && c <= last; };
  return in(0x4E00, 0x9FFF) || in(0x3400, 0x4DBF) || in(0x20000, 0x2A6DF) || in(0x2A700, 0x2B73F) ||
         in(0x2B740, 0x2B81F) || in(0x2B920, 0x2CEAF) || in(0xF900, 0xFAFF) || in(0x2F800, 0x2FA1F);
}

bool is_punctuation(utf8proc_int32_t c) {
  if (c < 0x80) return c > ' ' && c < 0x7F && !ascii::is_alnum(static_cast<char>(c));
  const auto category = utf8proc_category(c);
  return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
}

void put(NormalChar& out, utf8proc_int32_t c) {
  utf8proc_uint8_t bytes[4];
  const auto size = static_cast<std::size_t>(utf8proc_encode_char(c, bytes));
  if (out.size + size > sizeof out.text) return;  // no character of Unicode 15 is that long
  std::memcpy(out.text + out.size, bytes, size);
  out.size = static_cast<std::uint8_t>(out.size + size);
  ++out.characters;
}

}  // namespace

NormalChar next_char(std::string_view text, std::size_t& at) {
  const utf8proc_int32_t c = decode(text, at);
  const utf8proc_property_t& of = *utf8proc_get_property(c);
  NormalChar out;
  if (is_space(c, of.category)) {
    out.kind = CharKind::space;
    return out;
  }
  if (is_dropped(c, of.category)) return out;
  utf8proc_int32_t parts[8] = {c};
  int boundary = 0;
  const auto count = utf8proc_decompose_char(c, parts, 8, UTF8PROC_DECOMPOSE, &boundary);
  bool stands_alone = is_ideograph(c);
  for (utf8proc_ssize_t i = 0; i < std::min<utf8proc_ssize_t>(count, 8); ++i) {
    if (utf8proc_category(parts[i]) == UTF8PROC_CATEGORY_MN) continue;
    if (out.size == 0) stands_alone = stands_alone || is_punctuation(parts[i]);
    put(out, utf8proc_tolower(parts[i]));
  }
  if (out.size > 0) out.kind = stands_alone ? CharKind::alone : CharKind::part;
  return out;
}

const AsciiTable kAscii = [] {
  AsciiTable out{};
  for (unsigned char c = 0; c < 128; ++c) {
    const char byte = static_cast<char>(c);
    std::size_t at = 0;
    const NormalChar n = next_char({&byte, 1}, at);
    out.kind[c] = n.kind;
    out.text[c] = n.text[0];
  }
  return out;
}();

namespace {

constexpr std::size_t kLongestWord = 100;  // characters; longer ones are unknown
constexpr std::uint64_t kBase = 0x9E3779B97F4A7C15;
constexpr std::uint64_t kInnerSeed = 0xC2B2AE3D27D4EB4F;

// Σ (byte + 1) · kBase^place. The hash of any substring follows from the hashes of two prefixes.
constexpr std::uint64_t extend(std::uint64_t hash, char byte) {
  return hash * kBase + static_cast<unsigned char>(byte) + 1;
}

constexpr std::uint64_t mix(std::uint64_t hash, bool inner) {
  hash ^= inner ? kInnerSeed : 0;
  hash ^= hash >> 32;
  hash *= 0xD6E8FEB86659FD93;
  return hash ^ hash >> 32;
}

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0;
  for (const char c : text)
    hash = extend(hash, c);
  return hash;
}

// Tables of piece lengths by first bytes: two bytes for short pieces, four for long ones, because few four-byte
// prefixes start pieces of many lengths.
constexpr std::size_t kBeginnings = 8192;
constexpr std::size_t kLongBeginnings = 32768;
constexpr std::size_t kLong = 4;
constexpr std::size_t beginning(const char* piece, bool inner) {
  const auto two = static_cast<unsigned char>(piece[0]) * 31U + static_cast<unsigned char>(piece[1]) * 2U;
  return (two + (inner ? kBeginnings / 2 : 0)) % kBeginnings;
}
std::size_t long_beginning(const char* piece, bool inner) {
  std::uint32_t four = 0;
  std::memcpy(&four, piece, sizeof four);
  static_assert(sizeof four == kLong);
  return mix(four, inner) % kLongBeginnings;
}
constexpr std::uint32_t length_bit(std::size_t length) { return 1U << std::min<std::size_t>(length, 31); }

// Bits of Wordpiece::exist_, 64 KiB: a sixteenth of them are set by 30,000 pieces.
constexpr unsigned kExistBits = 19;
constexpr std::size_t exist_bit(std::uint64_t hash) { return hash >> (64 - kExistBits); }

}  // namespace

// A word being read. Bytes after the maximum length are counted but not stored.
struct Wordpiece::Word {
  static constexpr std::size_t kBytes = kLongestWord * 4;
  std::size_t size = 0;
  std::size_t characters = 0;
  std::uint64_t hash = 0;
  char text[kBytes + sizeof(NormalChar::text)];

  void append(char byte) {
    if (characters++ < kLongestWord) {
      text[size++] = byte;
      hash = extend(hash, byte);
    }
  }
  void append(const NormalChar& c) {
    if ((characters += c.characters) > kLongestWord) return;
    for (int i = 0; i < c.size; ++i) {
      text[size++] = c.text[i];
      hash = extend(hash, c.text[i]);
    }
  }
  void clear() { size = characters = hash = 0; }
};

Wordpiece::Wordpiece(std::string_view vocabulary) : vocabulary_(vocabulary), starts_{0} {
  for (std::size_t end = 0; (end = vocabulary.find('\n', end)) != std::string_view::npos;)
    starts_.push_back(static_cast<std::uint32_t>(++end));
  slots_.resize(std::bit_ceil(std::size_t{size()} * 2 + 1));
  exist_.resize((std::size_t{1} << kExistBits) / 64);
  lengths_.resize(kBeginnings);
  long_lengths_.resize(kLongBeginnings);
  for (std::uint32_t id = 0; id < size(); ++id)
    insert(id);
  unknown_ = find("[UNK]", hash_of("[UNK]"), false);
  for (std::size_t c = 0; c < signs_.size(); ++c) {
    const std::string_view sign(&kAscii.text[c], 1);
    signs_[c] = find(sign, hash_of(sign), false);
    if (signs_[c] == kNone) signs_[c] = unknown_;
  }
}

void Wordpiece::insert(std::uint32_t id) {
  std::string_view piece = token(id);
  const bool inner = piece.size() > 2 && piece.starts_with("##");
  if (inner) piece.remove_prefix(2);
  longest_ = std::max(longest_, piece.size());
  if (piece.size() >= kLong)
    long_lengths_[long_beginning(piece.data(), inner)] |= length_bit(piece.size());
  else if (piece.size() > 1)
    lengths_[beginning(piece.data(), inner)] |= length_bit(piece.size());
  const std::uint64_t hash = mix(hash_of(piece), inner);
  exist_[exist_bit(hash) / 64] |= std::uint64_t{1} << exist_bit(hash) % 64;
  std::size_t at = hash & (slots_.size() - 1);
  while (slots_[at].id != kNone)
    at = (at + 1) & (slots_.size() - 1);
  slots_[at] = {static_cast<std::uint32_t>(hash >> 32), id};
}

std::uint32_t Wordpiece::find(std::string_view piece, std::uint64_t hash, bool inner) const {
  hash = mix(hash, inner);
  if ((exist_[exist_bit(hash) / 64] >> exist_bit(hash) % 64 & 1U) == 0) return kNone;
  const auto tag = static_cast<std::uint32_t>(hash >> 32);
  for (std::size_t at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
    const Slot& slot = slots_[at];
    if (slot.id == kNone) return kNone;
    if (slot.tag != tag) continue;
    std::string_view found = token(slot.id);
    const bool found_inner = found.size() > 2 && found.starts_with("##");
    if (found_inner) found.remove_prefix(2);
    if (found_inner == inner && found == piece) return slot.id;
  }
}

void Wordpiece::tokenize(std::string_view text, std::vector<std::uint32_t>& ids) const {
  Word word;
  for (std::size_t at = 0; at < text.size();) {
    if (const auto byte = static_cast<unsigned char>(text[at]); byte < 128) {
      ++at;
      const CharKind kind = kAscii.kind[byte];
      if (kind == CharKind::part) {
        word.append(kAscii.text[byte]);
        continue;
      }
      if (kind == CharKind::dropped) continue;
      finish(word, ids);
      if (kind == CharKind::alone && signs_[byte] != kNone) ids.push_back(signs_[byte]);
      continue;
    }
    const NormalChar c = next_char(text, at);
    if (c.kind == CharKind::space || c.kind == CharKind::alone) finish(word, ids);
    if (c.kind == CharKind::part || c.kind == CharKind::alone) word.append(c);
    if (c.kind == CharKind::alone) finish(word, ids);
  }
  finish(word, ids);
}

namespace {

// Cache entry with the pieces of a word. Words repeat, and splitting one takes many lookups in tables larger than the
// L1 and L2 caches.
struct KnownWord {
  static constexpr std::size_t kBytes = 22;
  static constexpr std::size_t kPieces = 6;
  const void* by = nullptr;  // the vocabulary that split it
  std::uint64_t hash = 0;
  std::uint8_t size = 0;
  std::uint8_t pieces = 0;
  char text[kBytes] = {};
  std::uint32_t ids[kPieces] = {};

  bool is(const void* vocabulary, std::string_view word, std::uint64_t of) const {
    return hash == of && by == vocabulary && std::string_view(text, size) == word;
  }
};
constexpr std::size_t kKnownWords = 2048;  // 131 kB per thread

}  // namespace

void Wordpiece::finish(Word& word, std::vector<std::uint32_t>& ids) const {
  if (word.characters == 0) return;
  const auto look_up = [&] {
    const auto id = find({word.text, word.size}, word.hash, false);
    if (id == kNone) return split(word, ids);
    ids.push_back(id);
  };
  if (word.characters > kLongestWord) {
    if (unknown_ != kNone) ids.push_back(unknown_);
  } else if (word.size > KnownWord::kBytes) {
    look_up();
  } else {
    thread_local std::vector<KnownWord> known(kKnownWords);
    const std::string_view text(word.text, word.size);
    KnownWord& there = known[mix(word.hash, false) % kKnownWords];
    const std::size_t first = ids.size();
    if (there.is(vocabulary_.data(), text, word.hash)) {
      ids.insert(ids.end(), there.ids, there.ids + there.pieces);
    } else if (look_up(); ids.size() - first <= KnownWord::kPieces) {
      there = {vocabulary_.data(), word.hash, static_cast<std::uint8_t>(word.size),
               static_cast<std::uint8_t>(ids.size() - first)};
      std::copy(text.begin(), text.end(), there.text);
      std::copy(ids.begin() + static_cast<std::ptrdiff_t>(first), ids.end(), there.ids);
    }
  }
  word.clear();
}

void Wordpiece::split(const Word& word, std::vector<std::uint32_t>& ids) const {
  std::uint64_t before[Word::kBytes + 1];  // hashes of the prefixes
  std::uint64_t power[Word::kBytes + 1];
  before[0] = 0;
  power[0] = 1;
  for (std::size_t i = 0; i < word.size; ++i) {
    before[i + 1] = extend(before[i], word.text[i]);
    power[i + 1] = power[i] * kBase;
  }
  const std::size_t first = ids.size();
  for (std::size_t from = 0; from < word.size;) {
    std::size_t to = std::min(word.size, from + longest_);
    std::uint32_t lengths = to - from > 1 ? lengths_[beginning(word.text + from, from > 0)] : 0;
    if (to - from >= kLong) lengths |= long_lengths_[long_beginning(word.text + from, from > 0)];
    std::uint32_t id = kNone;
    for (; to > from; --to) {
      if (to - from > 1 && (lengths & length_bit(to - from)) == 0) continue;
      if (to < word.size && is_utf8_tail(word.text[to])) continue;
      id = find({word.text + from, to - from}, before[to] - before[from] * power[to - from], from > 0);
      if (id != kNone) break;
    }
    if (id == kNone) {
      ids.resize(first);
      if (unknown_ != kNone) ids.push_back(unknown_);
      return;
    }
    ids.push_back(id);
    from = to;
  }
}

}  // namespace memd::embedding
