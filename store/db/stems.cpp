#include "store/db/stems.hpp"

#include <libstemmer.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

namespace memd::tokenizer {
namespace {

constexpr std::uint32_t letters(std::string_view all) {
  std::uint32_t out = 0;
  for (const char c : all)
    out |= std::uint32_t{1} << (static_cast<unsigned char>(c) & 31);
  return out;
}

}  // namespace

// Of the letter before, the lower five bits decide: what is no letter may count as one, and is only looked up in vain.
constexpr std::array<std::uint32_t, 128> Stems::kEndings = [] {
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

// Behind unicode61 there is nothing left for `ascii` to fold or cut.
Stems::Stems(fts5_api* api) : porter_(api, "porter", {"ascii"}) {}
Stems::~Stems() = default;
void Stems::Closer::operator()(sb_stemmer* stemmer) const noexcept { sb_stemmer_delete(stemmer); }

std::string_view Stems::stem_of(std::string_view word, Language language) {
  if (language == Language::english) {
    const auto take = [](void* out, int, const char* token, int size, int, int) {
      static_cast<std::string*>(out)->assign(token, static_cast<std::size_t>(size));
      return SQLITE_OK;
    };
    porter_.tokenize(word, FTS5_TOKENIZE_DOCUMENT, &stem_, take);
    return stem_;
  }
  if (!russian_) russian_.reset(sb_stemmer_new("russian", "UTF_8"));
  if (!russian_) throw std::bad_alloc();
  const auto* stem =
      sb_stemmer_stem(russian_.get(), reinterpret_cast<const sb_symbol*>(word.data()), static_cast<int>(word.size()));
  if (stem == nullptr) throw std::bad_alloc();
  return {reinterpret_cast<const char*>(stem), static_cast<std::size_t>(sb_stemmer_length(russian_.get()))};
}

void Stems::learn(Entry& entry, const ShortWord& word, Language language) {
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

void Stems::stem_anew(ShortWord& word, Language language) {
  const std::string_view stem = stem_of({word.text, word.size}, language);
  word.size = std::min(stem.size(), ShortWord::kMost);
  std::memcpy(word.text, stem.data(), word.size);
}

void Stems::stem(std::string& word, Language language) { word = stem_of(word, language); }

}  // namespace memd::tokenizer
