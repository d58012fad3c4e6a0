#include "store/text/redaction/private_text.hpp"

#include "schemas/base/ascii.hpp"
#include "store/text/redaction/escaped_text.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include <algorithm>
#include <bit>
#include <string>

namespace memd::redaction {
namespace {

constexpr std::string_view kOpen = "<private>";
constexpr std::string_view kClose = "</private>";
constexpr std::string_view kMarker = "#private";
constexpr std::string_view kWord = "private";
constexpr int kDeepest = 4;    // JSON in JSON in …
constexpr int kMostTags = 64;  // before a marker

bool begins_with(std::string_view text, std::string_view word) {
  return text.size() >= word.size() && ascii::equal_nocase(text.substr(0, word.size()), word);
}

// Returns the position of a marker at `at`, behind blanks, tags, and whole elements such as
// "<ide_opened_file>…</ide_opened_file>"; npos if there is none. `tags` is how many may still be looked at.
std::size_t find_marker(std::string_view text, std::size_t at, int& tags) {
  while (at < text.size() && ascii::is_space(text[at]))
    ++at;
  const std::string_view rest = text.substr(at);
  if (begins_with(rest, kMarker))
    return rest.size() == kMarker.size() || !ascii::is_word(rest[kMarker.size()]) ? at : std::string_view::npos;
  if (!rest.starts_with('<') || tags-- == 0) return std::string_view::npos;
  std::size_t end = 1;
  while (end < rest.size() && (ascii::is_word(rest[end]) || rest[end] == '-'))
    ++end;
  if (end == 1 || end == rest.size() || rest[end] != '>') return std::string_view::npos;
  if (const std::size_t inside = find_marker(text, at + end + 1, tags); inside != std::string_view::npos) return inside;
  const std::string close = "</" + std::string(rest.substr(1, end));
  const std::size_t closing = text.find(close, at + end + 1);
  return closing == std::string_view::npos ? closing : find_marker(text, closing + close.size(), tags);
}

void find_in_plain(std::string_view text, std::vector<Secret>& out) {
  int tags = kMostTags;
  const std::size_t marker = find_marker(text, 0, tags);
  const std::size_t end = std::min(marker, text.size());
  std::size_t depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = text.find('<'); at < end; at = text.find('<', at + 1)) {
    const std::string_view rest = text.substr(at);
    if (begins_with(rest, kOpen)) {
      if (depth++ == 0) begin = at;
    } else if (depth > 0 && begins_with(rest, kClose) && --depth == 0) {
      out.push_back({begin, at + kClose.size(), kPrivate});
    }
  }
  if (depth > 0) out.push_back({begin, text.size(), kPrivate});
  if (depth == 0 && end < text.size()) out.push_back({end, text.size(), kPrivate});
}

bool is_framed_as_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return false;
  const char last = text[text.find_last_not_of(" \t\r\n")];
  return (text[first] == '{' && last == '}') || (text[first] == '[' && last == ']');
}

void find(std::string_view text, bool is_json, int depth, std::vector<Secret>& out);

// Searches each string of a JSON text. Returns true if an opening tag is outside the strings: the text is then not
// JSON.
bool find_in_strings(std::string_view text, int depth, std::vector<Secret>& out) {
  Unescaped inside;
  std::vector<Secret> found;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<' && begins_with(text.substr(i), kOpen)) return true;
    if (text[i] != '"') continue;
    const std::size_t begin = i + 1;
    for (i = begin; i < text.size() && text[i] != '"';)
      i += text[i] == '\\' ? escape_length(text.substr(i)) : 1;
    const std::string_view string = text.substr(begin, std::min(i, text.size()) - begin);
    if (!may_be_private(string)) continue;
    unescape(string, inside);
    found.clear();
    find(inside.text, is_framed_as_json(inside.text), depth, found);
    for (const Secret& s : found)
      out.push_back({begin + inside.origin[s.begin], begin + inside.origin[s.end], s.kind});
  }
  return false;
}

void find(std::string_view text, bool is_json, int depth, std::vector<Secret>& out) {
  const std::size_t before = out.size();
  if (is_json && depth < kDeepest && !find_in_strings(text, depth + 1, out)) return;
  out.resize(before);
  find_in_plain(text, out);
}

constexpr std::size_t kApart = kWord.find('v');

// Returns the next occurrence of the word from `at` on, in any case. A "p" with a "v" at the right distance is so rare
// that most blocks of 64 bytes are skipped in one step.
std::size_t find_word(std::string_view bytes, std::size_t at) {
#ifdef __SSE2__
  constexpr std::size_t kWide = sizeof(__m128i);
  const __m128i case_bit = _mm_set1_epi8(0x20);
  const __m128i p = _mm_set1_epi8('p');
  const __m128i v = _mm_set1_epi8('v');
  const auto lower = [&](std::size_t i) {
    return _mm_or_si128(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes.data() + i)), case_bit);
  };
  const auto letters_at = [&](std::size_t i) {
    return _mm_and_si128(_mm_cmpeq_epi8(lower(i), p), _mm_cmpeq_epi8(lower(i + kApart), v));
  };
  while (at + kApart + kWide <= bytes.size()) {
    if (at + kApart + 4 * kWide <= bytes.size()) {
      const __m128i any = _mm_or_si128(_mm_or_si128(letters_at(at), letters_at(at + kWide)),
                                       _mm_or_si128(letters_at(at + 2 * kWide), letters_at(at + 3 * kWide)));
      if (_mm_movemask_epi8(any) == 0) {
        at += 4 * kWide;
        continue;
      }
    }
    for (auto found = static_cast<unsigned>(_mm_movemask_epi8(letters_at(at))); found != 0; found &= found - 1) {
      const std::size_t i = at + static_cast<std::size_t>(std::countr_zero(found));
      constexpr std::size_t kRarer = kWord.find('t');  // "prev" and "prov" are everywhere
      if (i + kRarer < bytes.size() && ascii::lower(bytes[i + kRarer]) == 't' && begins_with(bytes.substr(i), kWord))
        return i;
    }
    at += kWide;
  }
#endif
  for (; at + kWord.size() <= bytes.size(); ++at)
    if (begins_with(bytes.substr(at), kWord)) return at;
  return std::string_view::npos;
}

}  // namespace

bool may_be_private(std::string_view bytes) {
  for (std::size_t at = find_word(bytes, 0); at != std::string_view::npos; at = find_word(bytes, at + 1)) {
    // "<private>", and "</private>" is nothing without it; "#private"; escaped, they end in 3c and 23.
    const std::string_view before = bytes.substr(0, at);
    if (before.ends_with('<') || before.ends_with('#') || before.ends_with("23") || before.ends_with("3c") ||
        before.ends_with("3C"))
      return true;
  }
  return false;
}

void find_private(std::string_view text, std::vector<Secret>& out) {
  if (may_be_private(text)) find(text, is_framed_as_json(text), 0, out);
}

void find_private_in_line(std::string_view line, std::vector<Secret>& out) {
  if (!may_be_private(line)) return;
  const std::size_t first = line.find_first_not_of(" \t");
  const bool is_json =
      first != std::string_view::npos && std::string_view("{[\"").find(line[first]) != std::string_view::npos;
  find(line, is_json, 0, out);
}

}  // namespace memd::redaction
