#include "store/db/word_cutter.hpp"

#include "schemas/ascii.hpp"

#include <bit>
#include <cstring>
#include <iterator>

namespace memd::tokenizer {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::uint64_t kHigh = 0x8080808080808080;

constexpr std::uint64_t each(unsigned char byte) { return 0x0101010101010101 * byte; }

// Bytes of the text from `at` on, the first one lowest, zeros behind its end.
std::uint64_t eight_at(std::string_view text, std::size_t at) {
  std::uint64_t out = 0;
  if (at + sizeof(out) <= text.size())
    std::memcpy(&out, text.data() + at, sizeof(out));
  else if (at < text.size())
    std::memcpy(&out, text.data() + at, text.size() - at);
  return out;
}

// The high bit of each byte that is from `first` to `last`; all bytes are below 0x80.
std::uint64_t between(std::uint64_t bytes, unsigned char first, unsigned char last) {
  return (bytes + each(static_cast<unsigned char>(0x80 - first))) &
         ~(bytes + each(static_cast<unsigned char>(0x7F - last))) & kHigh;
}

// The high bit of each byte that is an ASCII letter or digit.
std::uint64_t word_bytes(std::uint64_t eight) {
  const std::uint64_t ascii = eight & ~kHigh;
  return (between(ascii | each(0x20), 'a', 'z') | between(ascii, '0', '9')) & ~eight;
}

std::size_t bytes_before(std::uint64_t high_bits) { return static_cast<std::size_t>(std::countr_zero(high_bits)) / 8; }

constexpr std::uint32_t kBreve = 0x0306;

constexpr std::uint32_t kLeads = 0x1100;
constexpr std::uint32_t kVowels = 0x1161;
constexpr std::uint32_t kTails = 0x11A7;  // none
constexpr std::uint32_t kSyllables = 0xAC00;

// Marks of voice as they stand behind a kana: か゛ is が. 0: none does there.
std::uint32_t voiced(std::uint32_t kana, std::uint32_t mark) {
  const bool half = mark == 0x309A || mark == 0xFF9F;
  if (!half && mark != 0x3099 && mark != 0xFF9E) return 0;
  const std::uint32_t block = kana >= 0x30A1 ? 0x60U : 0U;
  const std::uint32_t c = kana - block;  // as Hiragana
  if (c >= 0x306F && c <= 0x307B && (c - 0x306F) % 3 == 0) return kana + (half ? 2 : 1);
  if (half) return 0;
  const bool has_voice =
      (c >= 0x304B && c <= 0x3061 && (c - 0x304B) % 2 == 0) || c == 0x3064 || c == 0x3066 || c == 0x3068;
  if (has_voice) return kana + 1;
  return c == 0x3046 ? kana + 0x4E : 0;  // う
}

}  // namespace

int WordCutter::cut(std::string_view text, bool stored, void* context, Take take) {
  text_ = text;
  stored_ = stored;
  context_ = context;
  take_ = take;
  ShortWord word;
  for (std::size_t at = 0; at < text.size();) {
    const std::uint64_t ahead = eight_at(text, at);
    const std::uint64_t begins = word_bytes(ahead) | (ahead & kHigh);
    at += begins != 0 ? bytes_before(begins) : sizeof(ahead);
    if (begins == 0) continue;
    int rc = SQLITE_OK;
    if (read_ascii_word(at, word)) {
      const std::size_t start = at;
      at += word.size;
      stems_.stem(word);
      rc = give({word.text, word.size}, 0, start, at);
    } else {
      rc = cut_here(at);
    }
    if (rc != SQLITE_OK) return rc;
  }
  return SQLITE_OK;
}

// Takes the word at `at`, in lower case. False: there are other letters in it, or it is long.
bool WordCutter::read_ascii_word(std::size_t at, ShortWord& word) const {
  word.size = 0;
  std::uint64_t ends = 0;
  std::size_t read = 0;
  for (; read < std::size(word.eights) && ends == 0; ++read) {
    const std::uint64_t eight = eight_at(text_, at + word.size);
    ends = ~word_bytes(eight) & kHigh;
    const std::size_t size = ends != 0 ? bytes_before(ends) : sizeof(eight);
    const std::uint64_t whole = ends != 0 ? (std::uint64_t{1} << 8 * size) - 1 : ~std::uint64_t{0};
    word.eights[read] = (eight | each(0x20)) & whole;  // digits have this bit
    word.size += size;
  }
  for (; read < std::size(word.eights); ++read)
    word.eights[read] = 0;
  const std::size_t end = at + word.size;
  return ends != 0 && word.size > 0 && (end >= text_.size() || static_cast<unsigned char>(text_[end]) < 0x80);
}

// Whatever begins at `at`: a word, a run of pairs, a sign.
int WordCutter::cut_here(std::size_t& at) {
  const std::size_t start = at;
  std::size_t end = at;
  Script script = Script::other;
  bool lettered = false;
  word_.clear();
  while (at < text_.size()) {
    std::size_t next = at;
    const std::uint32_t code = next_character(text_, next);
    const Character& c = characters_.find(code);
    const bool begun = end > start;
    if (c.kind == CharacterKind::separator || (c.kind == CharacterKind::mark && !begun)) {
      if (!begun) at = next;
      break;
    }
    if (is_paired(c.script)) {
      if (!begun) return cut_pairs(at);
      break;
    }
    if (code == kBreve && word_.ends_with("\u0438")) word_.replace(word_.size() - 2, 2, "\u0439");
    if (c.kind == CharacterKind::letter && !(c.size == 1 && ascii::is_digit(c.text[0]))) {
      if (lettered && (script == Script::cyrillic) != (c.script == Script::cyrillic)) break;
      script = c.script;
      lettered = true;
    }
    word_.append(c.text, c.size);
    at = end = next;
  }
  return end > start ? give_word(start, end, script) : SQLITE_OK;
}

int WordCutter::give_word(std::size_t start, std::size_t end, Script script) {
  const auto language = script == Script::cyrillic ? Stems::Language::russian : Stems::Language::english;
  const bool long_one = word_.size() > ShortWord::kMost;
  if (long_one) stems_.stem(word_, language);
  if (long_one || word_.empty()) return give(word_, 0, start, end);
  ShortWord word;
  std::memset(word.eights, 0, sizeof(word.eights));
  std::memcpy(word.text, word_.data(), word_.size());
  word.size = word_.size();
  stems_.stem(word, language);
  return give({word.text, word.size}, 0, start, end);
}

bool WordCutter::is_paired_at(std::size_t at, Script like) {
  if (at >= text_.size() || static_cast<unsigned char>(text_[at]) < 0x80) return false;
  const Script script = script_of(next_character(text_, at));
  return is_paired(script) && (script == Script::thai) == (like == Script::thai);
}

// The character at `at`, with what is written behind it and belongs to it.
WordCutter::Unit WordCutter::next_unit(std::size_t& at) {
  Unit out;
  out.start = at;
  std::uint32_t code = next_character(text_, at);
  const Character& c = characters_.find(code);
  std::size_t decoded = 0;
  code = next_character({c.text, c.size}, decoded);
  std::size_t next = at;
  const std::uint32_t follows = at < text_.size() ? next_character(text_, next) : 0;
  if (const std::uint32_t composed = script_of(code) <= Script::katakana ? voiced(code, follows) : 0) {
    code = composed;
    at = next;
  } else if (code >= kLeads && code < kLeads + 19 && follows >= kVowels && follows < kVowels + 21) {
    code = kSyllables + ((code - kLeads) * 21 + (follows - kVowels)) * 28;
    at = next;
    const std::uint32_t tail = at < text_.size() ? next_character(text_, next) : 0;
    if (tail > kTails && tail < kTails + 28) {
      code += tail - kTails;
      at = next;
    }
  }
  out.size = write_character(code, out.text.data());
  out.end = at;
  return out;
}

int WordCutter::cut_pairs(std::size_t& at) {
  std::size_t first = at;
  const Script script = script_of(next_character(text_, first));
  Unit before = next_unit(at);
  if (!is_paired_at(at, script)) return give(before.view(), 0, before.start, before.end);
  std::string_view single;  // given last
  while (is_paired_at(at, script)) {
    const Unit here = next_unit(at);
    char pair[8];
    std::memcpy(pair, before.text.data(), before.size);
    std::memcpy(pair + before.size, here.text.data(), here.size);
    int rc = give({pair, before.size + here.size}, 0, before.start, here.end);
    if (rc == SQLITE_OK && stored_) rc = give(before.view(), FTS5_TOKEN_COLOCATED, before.start, before.end);
    // At the last pair's place, once.
    const bool last = !is_paired_at(at, script);
    if (rc == SQLITE_OK && stored_ && last && here.view() != before.view())
      rc = give(here.view(), FTS5_TOKEN_COLOCATED, here.start, here.end);
    if (rc != SQLITE_OK) return rc;
    before = here;
  }
  return SQLITE_OK;
}

}  // namespace memd::tokenizer
