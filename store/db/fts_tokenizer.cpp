#include "store/db/fts_tokenizer.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/utf8.hpp"
#include "store/text/eight_bytes.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <iterator>
#include <memory>
#include <new>

namespace memd::tokenizer {
namespace {

constexpr std::uint32_t kPage = 256;
constexpr std::uint32_t kEnd = 0x110000;

struct Probe {
  int tokens = 0;
  int size = 0;  // of the first token
  char text[16] = {};
};

int callback(void* context, int, const char* token, int size, int, int) {
  auto& probe = *static_cast<Probe*>(context);
  if (probe.tokens++ == 0) {
    probe.size = size;
    std::memcpy(probe.text, token, static_cast<std::size_t>(size < 16 ? size : 16));
  }
  return SQLITE_OK;
}

// Full-width forms of the half-width katakana from U+FF66 on.
constexpr std::u16string_view kKatakana =
    u"ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン";

std::uint32_t usual_width(std::uint32_t c) {
  if (c >= 0xFF10 && c <= 0xFF19) return c - 0xFF10 + '0';
  if (c >= 0xFF21 && c <= 0xFF3A) return c - 0xFF21 + 'a';
  if (c >= 0xFF41 && c <= 0xFF5A) return c - 0xFF41 + 'a';
  if (c >= 0xFF66 && c < 0xFF66 + kKatakana.size()) return kKatakana[c - 0xFF66];
  if (c == 0xFF9E || c == 0xFF9F) return c - 0xFF9E + 0x3099;
  return c;
}

void set_text(Character& out, std::uint32_t c) {
  out.size = static_cast<std::uint8_t>(put_utf8(c, out.text) - out.text);
}

constexpr std::uint32_t letters(std::string_view all) {
  std::uint32_t out = 0;
  for (const char c : all)
    out |= std::uint32_t{1} << (static_cast<unsigned char>(c) & 31);
  return out;
}

constexpr std::uint32_t kBreve = 0x0306;

constexpr std::uint32_t kLeads = 0x1100;
constexpr std::uint32_t kVowels = 0x1161;
constexpr std::uint32_t kTails = 0x11A7;  // code point before the first tail
constexpr std::uint32_t kSyllables = 0xAC00;

// Combines a kana with a following voice mark: か゛ is が. 0: the mark does not apply.
std::uint32_t voiced(std::uint32_t kana, std::uint32_t mark) {
  const bool half = mark == 0x309A || mark == 0xFF9F;
  if (!half && mark != 0x3099 && mark != 0xFF9E) return 0;
  const std::uint32_t block = kana >= 0x30A1 ? 0x60U : 0U;
  const std::uint32_t c = kana - block;  // the Hiragana counterpart
  if (c >= 0x306F && c <= 0x307B && (c - 0x306F) % 3 == 0) return kana + (half ? 2 : 1);
  if (half) return 0;
  const bool has_voice =
      (c >= 0x304B && c <= 0x3061 && (c - 0x304B) % 2 == 0) || c == 0x3064 || c == 0x3066 || c == 0x3068;
  if (has_voice) return kana + 1;
  return c == 0x3046 ? kana + 0x4E : 0;  // う
}

}  // namespace

struct CharacterTable::Page {
  std::array<Character, kPage> characters;
};

CharacterTable::CharacterTable(fts5_api* api) : unicode61_(api, "unicode61", {"remove_diacritics", "2"}) {}

const Character& CharacterTable::find(std::uint32_t character) {
  // Never freed: shared by all instances.
  static std::array<std::atomic<const Page*>, kEnd / kPage> pages{};
  if (character >= kEnd) {
    unusual_ = fetch(kEnd);
    set_text(unusual_, character);
    return unusual_;
  }
  std::atomic<const Page*>& slot = pages[character / kPage];
  const Page* page = slot.load(std::memory_order_acquire);
  if (page == nullptr) {
    std::unique_ptr<const Page> made(make_page(character / kPage));
    if (slot.compare_exchange_strong(page, made.get(), std::memory_order_acq_rel)) page = made.release();
  }
  return page->characters[character % kPage];
}

const CharacterTable::Page* CharacterTable::make_page(std::uint32_t number) const {
  auto page = std::make_unique<Page>();
  for (std::uint32_t i = 0; i < kPage; ++i)
    page->characters[i] = fetch(number * kPage + i);
  return page.release();
}

Character CharacterTable::fetch(std::uint32_t c) const {
  Character out;
  out.script = script_of(c);
  if (is_paired(out.script) || out.script == Script::wide) {
    out.kind = CharacterKind::letter;
    set_text(out, usual_width(c));
    return out;
  }
  // Between letters the character continues their word or separates them. Alone it is a word or none.
  char text[8];
  const auto size = static_cast<std::size_t>(put_utf8(c, text + 1) - text - 1);
  text[0] = 'a';
  text[size + 1] = 'b';
  Probe inside;
  unicode61_.tokenize({text, size + 2}, FTS5_TOKENIZE_DOCUMENT, &inside, callback);
  Probe alone;
  unicode61_.tokenize({text + 1, size}, FTS5_TOKENIZE_DOCUMENT, &alone, callback);
  if (inside.tokens == 1) {
    out.kind = alone.tokens > 0 ? CharacterKind::letter : CharacterKind::mark;
    out.size = static_cast<std::uint8_t>(inside.size - 2);
    std::memcpy(out.text, inside.text + 1, out.size);
  }
  if (out.script == Script::cyrillic && (c == 0x0401 || c == 0x0451)) set_text(out, 0x0435);  // ё is folded to е
  return out;
}

// Indexed by the last letter. Only the lower five bits of the letter before are used, so a non-letter may match; this
// costs only a useless lookup.
constexpr std::array<std::uint32_t, 128> StemCache::kEndings = [] {
  std::array<std::uint32_t, 128> out{};
  for (const char any : {'s', 'y', 'i', 'e'})
    out[static_cast<unsigned char>(any)] = ~std::uint32_t{0};
  out['d'] = letters("e");
  out['g'] = letters("n");
  out['l'] = letters("aul");
  out['r'] = letters("eo");
  out['n'] = letters("o");
  out['m'] = letters("s");
  out['c'] = letters("i");
  out['t'] = letters("n");
  out['u'] = letters("o");
  return out;
}();

// After unicode61, `ascii` has nothing left to fold or split.
StemCache::StemCache(fts5_api* api) : porter_(api, "porter", {"ascii"}) {}
StemCache::~StemCache() = default;

std::string_view StemCache::stem_of(std::string_view word, Language language) {
  if (language == Language::english) {
    const auto callback = [](void* out, int, const char* token, int size, int, int) {
      static_cast<std::string*>(out)->assign(token, static_cast<std::size_t>(size));
      return SQLITE_OK;
    };
    porter_.tokenize(word, FTS5_TOKENIZE_DOCUMENT, &stem_, callback);
    return stem_;
  }
  if (!russian_) russian_ = std::make_unique<RussianStemmer>();
  return russian_->stem(word);
}

void StemCache::fill(Entry& entry, const ShortWord& word, Language language) {
  const std::string_view typed(word.text, word.size);
  const std::string_view stem = stem_of(typed, language);
  std::memcpy(entry.eights, word.eights, sizeof(entry.eights));
  entry.size = static_cast<std::uint8_t>(word.size);
  const auto kept = static_cast<std::size_t>(std::mismatch(typed.begin(), typed.end(), stem.begin(), stem.end()).first -
                                             typed.begin());
  const std::string_view end = stem.substr(kept);
  const bool fits = end.size() <= sizeof(entry.end) && stem.size() <= ShortWord::kMost;
  entry.kept = fits ? static_cast<std::uint8_t>(kept) : kUnknown;
  entry.end_size = fits ? static_cast<std::uint8_t>(end.size()) : 0;
  if (fits) std::memcpy(entry.end, end.data(), end.size());
}

void StemCache::stem_uncached(ShortWord& word, Language language) {
  const std::string_view stem = stem_of({word.text, word.size}, language);
  word.size = std::min(stem.size(), ShortWord::kMost);
  std::memcpy(word.text, stem.data(), word.size);
}

void StemCache::stem(std::string& word, Language language) { word = stem_of(word, language); }

int FtsTokenizer::tokenize(std::string_view text, bool stored, void* context, TokenCallback callback) {
  using namespace eight_bytes;
  text_ = text;
  stored_ = stored;
  context_ = context;
  callback_ = callback;
  ShortWord word;
  for (std::size_t at = 0; at < text.size();) {
    const std::uint64_t ahead = eight_at(text, at);
    const std::uint64_t begins = word_bytes(ahead) | (ahead & kHigh);
    at += bytes_before(begins);
    if (begins == 0) continue;
    int rc = SQLITE_OK;
    if (read_ascii_word(at, word)) {
      const std::size_t start = at;
      at += word.size;
      stems_.stem(word);
      rc = emit({word.text, word.size}, 0, start, at);
    } else {
      rc = tokenize_word(at);
    }
    if (rc != SQLITE_OK) return rc;
  }
  return SQLITE_OK;
}

// Reads the word at `at` in lower case. Returns false when it has non-ASCII letters or is too long.
bool FtsTokenizer::read_ascii_word(std::size_t at, ShortWord& word) const {
  using namespace eight_bytes;
  word.size = 0;
  std::uint64_t ends = 0;
  std::size_t read = 0;
  for (; read < std::size(word.eights) && ends == 0; ++read) {
    const std::uint64_t eight = eight_at(text_, at + word.size);
    ends = ~word_bytes(eight) & kHigh;
    const std::size_t size = bytes_before(ends);
    word.eights[read] = first_bytes(eight | each(0x20), size);  // digits have this bit already
    word.size += size;
  }
  for (; read < std::size(word.eights); ++read)
    word.eights[read] = 0;
  const std::size_t end = at + word.size;
  return ends != 0 && word.size > 0 && (end >= text_.size() || static_cast<unsigned char>(text_[end]) < 0x80);
}

// Tokenizes the next element at `at`: a word, a run of pairs or a sign.
int FtsTokenizer::tokenize_word(std::size_t& at) {
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
      if (!begun) return tokenize_pairs(at);
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
  return end > start ? emit_word(start, end, script) : SQLITE_OK;
}

int FtsTokenizer::emit_word(std::size_t start, std::size_t end, Script script) {
  const auto language = script == Script::cyrillic ? StemCache::Language::russian : StemCache::Language::english;
  const bool long_one = word_.size() > ShortWord::kMost;
  if (long_one) stems_.stem(word_, language);
  if (long_one || word_.empty()) return emit(word_, 0, start, end);
  ShortWord word;
  std::memset(word.eights, 0, sizeof(word.eights));
  std::memcpy(word.text, word_.data(), word_.size());
  word.size = word_.size();
  stems_.stem(word, language);
  return emit({word.text, word.size}, 0, start, end);
}

bool FtsTokenizer::is_paired_at(std::size_t at, Script like) {
  if (at >= text_.size() || static_cast<unsigned char>(text_[at]) < 0x80) return false;
  const Script script = script_of(next_character(text_, at));
  return is_paired(script) && (script == Script::thai) == (like == Script::thai);
}

// Returns the character at `at`, combined with the marks that follow it.
FtsTokenizer::Unit FtsTokenizer::next_unit(std::size_t& at) {
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
  out.size = static_cast<std::size_t>(put_utf8(code, out.text.data()) - out.text.data());
  out.end = at;
  return out;
}

int FtsTokenizer::tokenize_pairs(std::size_t& at) {
  std::size_t first = at;
  const Script script = script_of(next_character(text_, first));
  Unit before = next_unit(at);
  if (!is_paired_at(at, script)) return emit(before.view(), 0, before.start, before.end);
  while (is_paired_at(at, script)) {
    const Unit here = next_unit(at);
    char pair[8];
    std::memcpy(pair, before.text.data(), before.size);
    std::memcpy(pair + before.size, here.text.data(), here.size);
    int rc = emit({pair, before.size + here.size}, 0, before.start, here.end);
    if (rc == SQLITE_OK && stored_) rc = emit(before.view(), FTS5_TOKEN_COLOCATED, before.start, before.end);
    // Once, at the position of the last pair.
    const bool last = !is_paired_at(at, script);
    if (rc == SQLITE_OK && stored_ && last && here.view() != before.view())
      rc = emit(here.view(), FTS5_TOKEN_COLOCATED, here.start, here.end);
    if (rc != SQLITE_OK) return rc;
    before = here;
  }
  return SQLITE_OK;
}

}  // namespace memd::tokenizer
