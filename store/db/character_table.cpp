#include "store/db/character_table.hpp"

#include <array>
#include <atomic>
#include <cstring>
#include <memory>

namespace memd::tokenizer {
namespace {

constexpr std::uint32_t kPage = 256;
constexpr std::uint32_t kEnd = 0x110000;

struct Probe {
  int tokens = 0;
  int size = 0;  // of the first
  char text[16] = {};
};

int take(void* context, int, const char* token, int size, int, int) {
  auto& probe = *static_cast<Probe*>(context);
  if (probe.tokens++ == 0) {
    probe.size = size;
    std::memcpy(probe.text, token, static_cast<std::size_t>(size < 16 ? size : 16));
  }
  return SQLITE_OK;
}

// Half-width katakana by their code from U+FF66 on, as they are usually written.
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

void set_text(Character& out, std::uint32_t c) { out.size = static_cast<std::uint8_t>(write_character(c, out.text)); }

}  // namespace

struct CharacterTable::Page {
  std::array<Character, kPage> characters;
};

CharacterTable::CharacterTable(fts5_api* api) : unicode61_(api, "unicode61", {"remove_diacritics", "2"}) {}

const Character& CharacterTable::find(std::uint32_t character) {
  // Never freed: they are the same for whoever asks.
  static std::array<std::atomic<const Page*>, kEnd / kPage> pages{};
  if (character >= kEnd) {
    unusual_ = ask(kEnd);
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
    page->characters[i] = ask(number * kPage + i);
  return page.release();
}

Character CharacterTable::ask(std::uint32_t c) const {
  Character out;
  out.script = script_of(c);
  if (is_paired(out.script) || out.script == Script::wide) {
    out.kind = CharacterKind::letter;
    set_text(out, usual_width(c));
    return out;
  }
  // Between letters it is part of their word or parts them; alone it is a word or none.
  char text[8];
  const std::size_t size = write_character(c, text + 1);
  text[0] = 'a';
  text[size + 1] = 'b';
  Probe inside;
  unicode61_.tokenize({text, size + 2}, FTS5_TOKENIZE_DOCUMENT, &inside, take);
  Probe alone;
  unicode61_.tokenize({text + 1, size}, FTS5_TOKENIZE_DOCUMENT, &alone, take);
  if (inside.tokens == 1) {
    out.kind = alone.tokens > 0 ? CharacterKind::letter : CharacterKind::mark;
    out.size = static_cast<std::uint8_t>(inside.size - 2);
    std::memcpy(out.text, inside.text + 1, out.size);
  }
  if (out.script == Script::cyrillic && (c == 0x0401 || c == 0x0451)) set_text(out, 0x0435);  // ё is written е
  return out;
}

}  // namespace memd::tokenizer
