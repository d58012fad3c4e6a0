#include "store/insight/topics/token_shape.hpp"

#include "schemas/ascii.hpp"

#include <algorithm>
#include <array>

namespace memd::topics {
namespace {

constexpr std::size_t kLongestIdentifier = 40;
constexpr std::size_t kLongestWord = 32;
constexpr std::size_t kSyllable = 3;  // bytes of a Hangul one

bool is_letter(char c) { return ascii::is_letter(c) || static_cast<unsigned char>(c) >= 0x80; }

std::size_t count_of(std::string_view s, bool (*is)(char)) {
  return static_cast<std::size_t>(std::count_if(s.begin(), s.end(), is));
}

bool has_inner_capital(std::string_view s) {
  for (std::size_t i = 1; i < s.size(); ++i)
    if (ascii::is_upper(s[i]) && ascii::is_lower(s[i - 1])) return true;
  return false;
}

// 7fe2d1a, 2026-01-22-0bdbfa06, a1b2c3d4e5: nobody talks about these.
bool is_random(std::string_view s) {
  const std::size_t digits = count_of(s, ascii::is_digit);
  if (digits == 0) return false;
  const std::size_t letters = count_of(s, is_letter);
  if (letters == 0) return true;
  if (s.size() >= 6 && count_of(s, ascii::is_hex) + count_of(s, [](char c) { return c == '-'; }) == s.size())
    return true;
  if (letters == 1) return true;  // v2, 10s, 3x
  if (ascii::is_digit(s[0]) && letters <= 2 * kSyllable && static_cast<unsigned char>(s.back()) >= 0x80)
    return true;  // 7월
  return digits >= 4 && digits * 3 >= letters;
}

// ENT-212
bool is_ticket(std::string_view s) {
  const std::size_t dash = s.find('-');
  if (dash < 2 || dash == std::string_view::npos || dash > 10 || s.size() - dash > 7 || s.size() - dash < 2)
    return false;
  return std::all_of(s.begin(), s.begin() + static_cast<std::ptrdiff_t>(dash), ascii::is_upper) &&
         std::all_of(s.begin() + static_cast<std::ptrdiff_t>(dash) + 1, s.end(), ascii::is_digit);
}

// Korean marks what a noun does by its end: 데이터를 and 데이터 are one word. What may as well be the end of a noun
// stays.
std::string_view without_particle(std::string_view word) {
  if (ascii::is_letter(word[0])) {  // encoder가
    const auto wide =
        std::find_if(word.begin(), word.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
    const auto length = static_cast<std::size_t>(wide - word.begin());
    const bool hangul = word.size() > length && static_cast<unsigned char>(word[length]) >= 0xEA &&
                        static_cast<unsigned char>(word[length]) <= 0xED;
    return hangul && word.size() - length <= 3 * kSyllable ? word.substr(0, length) : word;
  }
  if (static_cast<unsigned char>(word[0]) < 0xEA) return word;
  for (const std::string_view end :
       {"에서는", "에서", "으로", "부터", "까지", "에는", "을", "를", "은", "는", "의", "에", "로", "가", "와"})
    if (word.ends_with(end) && word.size() >= end.size() + 2 * kSyllable)
      return word.substr(0, word.size() - end.size());
  return word;
}

bool is_korean_verb(std::string_view word) {
  for (const std::string_view end :
       {"하게", "되게", "하면", "되면", "려면", "하고", "되고", "해서", "돼서", "하는", "되는", "있는",
        "없는", "니다", "세요", "해줘", "어줘", "어요", "아요", "했어", "하자", "하지", "에게", "중에서"})
    if (word.ends_with(end)) return true;
  return false;
}

std::optional<ShapedToken> shape_word(std::string_view run, bool called, bool in_code) {
  if (is_ticket(run)) return ShapedToken{run, TokenShape::identifier};
  if (is_random(run)) return std::nullopt;
  const std::size_t dashes = count_of(run, [](char c) { return c == '-'; });
  if (dashes > 3) return std::nullopt;  // a branch, a slug, a UUID
  const bool underscore = run.find('_') != std::string_view::npos;
  const bool dots = run.find('.') != std::string_view::npos || run.find("::") != std::string_view::npos;
  if (count_of(run, [](char c) { return c == '.'; }) > 2) return std::nullopt;
  if (underscore || dots || (has_inner_capital(run) && dashes == 0) || (called && in_code)) {
    const std::size_t first = run.find_first_not_of('_');
    if (first == std::string_view::npos) return std::nullopt;
    run.remove_prefix(first);
    run = run.substr(0, run.find_last_not_of('_') + 1);
    if (run.size() < 3 || run.size() > kLongestIdentifier || count_of(run, is_letter) < 3) return std::nullopt;
    return ShapedToken{run, TokenShape::identifier};
  }
  if (is_korean_verb(run)) return std::nullopt;
  run = without_particle(run);
  if (run.size() < 2 || run.size() > kLongestWord * (static_cast<unsigned char>(run[0]) >= 0x80 ? 2 : 1))
    return std::nullopt;
  return ShapedToken{run, TokenShape::word};
}

}  // namespace

bool is_file_name(std::string_view name) {
  static constexpr auto kEndings = std::to_array<std::string_view>(
      {"asm",    "bat",  "bib",   "c",     "cc",     "cfg",     "clj",  "cmake", "conf", "cpp",   "cs",     "css",
       "csv",    "cts",  "cu",    "cue",   "cxx",    "dart",    "db",   "diff",  "dts",  "ejs",   "el",     "elm",
       "env",    "erb",  "erl",   "ex",    "exs",    "f90",     "fish", "fs",    "go",   "gql",   "gradle", "h",
       "hbs",    "hh",   "hpp",   "hrl",   "hs",     "html",    "hwp",  "hxx",   "ini",  "ipynb", "java",   "jl",
       "js",     "json", "jsonc", "jsonl", "jsx",    "kt",      "kts",  "less",  "lock", "log",   "lua",    "m",
       "md",     "mdx",  "mjs",   "ml",    "mm",     "mmd",     "mod",  "mts",   "nix",  "npy",   "npz",    "patch",
       "php",    "pl",   "plist", "pm",    "prisma", "proto",   "ps1",  "py",    "pyi",  "r",     "rb",     "rs",
       "rst",    "sass", "sbt",   "scala", "scss",   "service", "sh",   "sln",   "sol",  "sql",   "sqlite", "sum",
       "svelte", "svg",  "swift", "tcl",   "tex",    "tf",      "toml", "ts",    "tsx",  "txt",   "unity",  "v",
       "vim",    "vue",  "wasm",  "xml",   "yaml",   "yml",     "zig",  "zsh"});
  static_assert(std::is_sorted(kEndings.begin(), kEndings.end()));
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot + 1 == name.size() || name.size() > kLongestIdentifier) return false;
  if (count_of(name.substr(0, dot), is_letter) < 2) return false;
  return std::binary_search(kEndings.begin(), kEndings.end(), name.substr(dot + 1));
}

std::optional<ShapedToken> shape_token(std::string_view run, bool called, bool in_code) {
  if (run.ends_with("'s") || run.ends_with("'S")) run.remove_suffix(2);
  if (run.find('@') != std::string_view::npos) return std::nullopt;
  const std::size_t slash = run.rfind('/');
  const std::string_view last = slash == std::string_view::npos ? run : run.substr(slash + 1);
  if (is_file_name(last)) {
    if (is_random(last.substr(0, last.rfind('.')))) return std::nullopt;
    return ShapedToken{last, TokenShape::file_name};
  }
  if (slash != std::string_view::npos) return std::nullopt;
  if (run.find('\'') != std::string_view::npos) return std::nullopt;  // don't, it'll
  return shape_word(run, called, in_code);
}

}  // namespace memd::topics
