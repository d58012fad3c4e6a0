#include "store/enrich/embedding/normaliser.hpp"

#include "store/enrich/embedding/unicode_table.hpp"

#include <cstring>

namespace memd::embedding {
namespace {

enum Entry : unsigned { kKeep, kDrop, kSpace, kAlone, kFirstReplacement };

constexpr char32_t kInvalid = 0xFFFD;  // dropped, as the reference drops U+FFFD
constexpr char32_t kHangulFirst = 0xAC00, kHangulLast = 0xD7A3;

unsigned entry_of(char32_t c) {
  if (c < unicode::kTableEnd)
    return unicode::kEntries[unicode::kBlocks[c / unicode::kBlock] * unicode::kBlock + c % unicode::kBlock];
  for (const unicode::Range& r : unicode::kRanges)
    if (c >= r.first && c <= r.last) return r.entry;
  return kKeep;
}

// Moves `at` behind the character, or behind one byte that is part of none.
char32_t decode(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(at++);
  if (lead < 0x80) return lead;
  const int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  if (lead < 0xC2 || lead > 0xF4 || text.size() - at < static_cast<std::size_t>(more)) return kInvalid;
  char32_t c = lead & (0x3FU >> more);
  for (int i = 0; i < more; ++i) {
    if ((byte(at + static_cast<std::size_t>(i)) & 0xC0) != 0x80) return kInvalid;
    c = c << 6 | (byte(at + static_cast<std::size_t>(i)) & 0x3FU);
  }
  constexpr char32_t kSmallest[] = {0, 0x80, 0x800, 0x10000};
  if (c < kSmallest[more] || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) return kInvalid;
  at += static_cast<std::size_t>(more);
  return c;
}

void put_three_bytes(NormalChar& out, char32_t c) {
  out.text[out.size++] = static_cast<char>(0xE0 | c >> 12);
  out.text[out.size++] = static_cast<char>(0x80 | (c >> 6 & 0x3F));
  out.text[out.size++] = static_cast<char>(0x80 | (c & 0x3F));
  ++out.characters;
}

NormalChar hangul(char32_t c) {
  const char32_t index = c - kHangulFirst;
  NormalChar out{.kind = CharKind::part};
  put_three_bytes(out, 0x1100 + index / 588);
  put_three_bytes(out, 0x1161 + index % 588 / 28);
  if (index % 28 != 0) put_three_bytes(out, 0x11A7 + index % 28);
  return out;
}

NormalChar replacement(unsigned place) {
  const unsigned char* const from = unicode::kReplacements + place;
  NormalChar out{.kind = (*from & 0x80) != 0 ? CharKind::alone : CharKind::part,
                 .size = static_cast<std::uint8_t>(*from & 0x7F)};
  std::memcpy(out.text, from + 1, out.size);
  for (int i = 0; i < out.size; ++i)
    if ((out.text[i] & 0xC0) != 0x80) ++out.characters;
  return out;
}

}  // namespace

NormalChar next_char(std::string_view text, std::size_t& at) {
  const std::size_t from = at;
  const char32_t c = decode(text, at);
  if (c >= kHangulFirst && c <= kHangulLast) return hangul(c);
  switch (const unsigned entry = entry_of(c)) {
    case kDrop: return {};
    case kSpace: return {.kind = CharKind::space};
    case kKeep:
    case kAlone: {
      NormalChar out{.kind = entry == kKeep ? CharKind::part : CharKind::alone,
                     .size = static_cast<std::uint8_t>(at - from),
                     .characters = 1};
      std::memcpy(out.text, text.data() + from, out.size);
      return out;
    }
    default: return replacement(entry - kFirstReplacement);
  }
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

}  // namespace memd::embedding
