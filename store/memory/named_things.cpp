#include "store/memory/named_things.hpp"

#include "schemas/base/ascii.hpp"
#include "store/text/path_names.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace memd::memory {
namespace {

constexpr std::size_t kShortestWord = 4;
constexpr std::size_t kMostWords = 12;
constexpr std::size_t kMostPaths = 64;

// "internal/a.go:12-30" → "internal/a.go"
std::string_view without_line(std::string_view path) {
  const auto colon = path.find(':');
  return colon != std::string_view::npos && colon > 1 ? path.substr(0, colon) : path;
}

bool looks_like_path(std::string_view text) {
  const auto dot = text.rfind('.');
  const bool ends_as_file =
      dot != std::string_view::npos && dot + 1 < text.size() && text.size() - dot <= 9 &&
      std::all_of(text.begin() + static_cast<std::ptrdiff_t>(dot) + 1, text.end(), ascii::is_alnum);
  return text.find(' ') == std::string_view::npos && (ends_as_file || text.find('/') != std::string_view::npos);
}

// "Store::open()" → "open"; "kLimit" → "kLimit". Empty for plain words.
std::string_view word_of(std::string_view code) {
  if (code.ends_with("()")) code.remove_suffix(2);
  if (const auto at = code.find_last_of(".:#>"); at != std::string_view::npos) code.remove_prefix(at + 1);
  const bool whole = code.size() >= kShortestWord && std::all_of(code.begin(), code.end(), ascii::is_word);
  const bool is_name = std::any_of(code.begin(), code.end(),
                                   [](char c) { return ascii::is_upper(c) || c == '_' || ascii::is_digit(c); });
  return whole && is_name && !std::all_of(code.begin(), code.end(), ascii::is_hex) ? code : std::string_view();
}

template <class F>
void for_each_code_span(std::string_view text, F f) {
  for (std::size_t at = text.find('`'); at != std::string_view::npos; at = text.find('`', at)) {
    const auto end = text.find('`', at + 1);
    if (end == std::string_view::npos) return;
    const std::string_view span = text.substr(at + 1, end - at - 1);
    if (!span.empty() && span.find('\n') == std::string_view::npos) f(ascii::trimmed(span));
    at = end + 1;
  }
}

void add_once(std::vector<std::string>& to, std::string_view value, std::size_t most) {
  if (!value.empty() && to.size() < most && std::find(to.begin(), to.end(), value) == to.end()) to.emplace_back(value);
}

}  // namespace

NamedThings named_in(const Memory& m) {
  NamedThings out;
  for (const std::string& file : m.provenance.files)
    add_once(out.paths, file, kMostPaths);
  for_each_code_span(m.content, [&](std::string_view span) {
    if (const auto path = without_line(span); looks_like_path(path)) add_once(out.paths, path, kMostPaths);
    add_once(out.words, word_of(span), kMostWords);
  });
  for (const std::string_view path : continuity::paths_in(m.content, true))
    add_once(out.paths, without_line(path), kMostPaths);
  return out;
}

}  // namespace memd::memory
