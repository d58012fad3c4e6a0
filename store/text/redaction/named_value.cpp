#include "store/text/redaction/named_value.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/ids.hpp"
#include "store/text/words.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

namespace memd::redaction {
namespace {

constexpr std::size_t kLongestName = 64;
constexpr std::size_t kLongestValue = 4096;

bool is_name(char c) { return ascii::is_word(c) || c == '-'; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }

constexpr std::string_view kSymbols = "!@#$%^&*+=?~";
constexpr std::string_view kOfCode = "(){}[]<>;|";

bool has_any(std::string_view v, std::string_view chars) { return v.find_first_of(chars) != std::string_view::npos; }

bool has_symbol(std::string_view v, LookAhead& ahead) {
  return ahead.any(LookAhead::kSymbol, v,
                   [&](std::size_t i) { return kSymbols.find(ahead.text()[i]) != std::string_view::npos; });
}

// Returns whether the value has these characters one after the other.
bool has(std::string_view v, LookAhead::Kind kind, std::string_view chars, LookAhead& ahead) {
  return ahead.any(
      kind, v,
      [&](std::size_t i) { return ahead.text()[i] == chars.front() && ahead.text().substr(i).starts_with(chars); },
      chars.size() - 1);
}

bool is_identifier(std::string_view v) { return std::all_of(v.begin(), v.end(), ascii::is_word); }

// Letters, digits and dashes of a name do not count: DB_PASSWORD, clientSecret, x-api-key.
std::string_view flat_name(std::string_view name, std::array<char, kLongestName>& buffer) {
  std::size_t n = 0;
  for (const char c : name.substr(name.size() - std::min(name.size(), kLongestName)))
    if (c != '_' && c != '-') buffer[n++] = ascii::lower(c);
  return {buffer.data(), n};
}

// The lists have a dash where a word of a name may end.
// Endings of names, by their last byte.
struct Endings {
  std::array<std::vector<std::string>, 256> by_last;
  explicit Endings(WordClass of) {
    for (std::string w : words(of)) {
      std::erase_if(w, [](char c) { return c == '-' || c == '_'; });
      by_last[static_cast<unsigned char>(w.back())].push_back(std::move(w));
    }
  }
  bool fit(std::string_view flat) const {
    if (flat.empty()) return false;
    const auto& list = by_last[static_cast<unsigned char>(flat.back())];
    return std::any_of(list.begin(), list.end(), [&](const std::string& w) { return flat.ends_with(w); });
  }
};

bool is_environment_name(std::string_view name) {
  return name.size() > 3 && std::none_of(name.begin(), name.end(), ascii::is_lower);
}

// A path, a call, a member access, a type: what code has where a secret could be.
bool looks_like_code(std::string_view v, const Shape& s, LookAhead& ahead) {
  if (ahead.any(LookAhead::kOfCode, v,
                [&](std::size_t i) { return kOfCode.find(ahead.text()[i]) != std::string_view::npos; }))
    return true;
  if (v.starts_with("./") || v.starts_with("../") || v.starts_with("~/")) return true;
  if (v.front() == '/' && ahead.wordiness(v) > 0.4) return true;
  if (has(v, LookAhead::kTwoColons, "::", ahead) || has(v, LookAhead::kArrow, "->", ahead)) return true;
  const auto dot = v.find('.');
  if (dot == std::string_view::npos) return false;
  const bool names = v.size() < 48 && ascii::is_letter(v.front()) && dot + 1 < v.size() && ascii::is_letter(v[dot + 1]);
  return s.digits == 0 || ahead.wordiness(v) > (names ? 0.35 : 0.5);  // a.b.c
}

// "correct horse battery staple", "my d0g ate 3 pies": no sentence of a dialog.
bool is_passphrase(std::string_view v) {
  std::size_t words_seen = 0;
  bool mixed = false;
  for (std::size_t i = 0; i < v.size();) {
    const std::size_t end = std::min(v.find(' ', i), v.size());
    const std::string_view word = v.substr(i, end - i);
    i = end + 1;
    if (word.empty()) return false;
    const Shape s = shape_of(word);
    const std::string low = ascii::lowered(word);
    for (const char* told :
         {"password", "passphrase", "secret", "token", "key", "required", "invalid", "must", "enter", "characters"})
      if (low.find(told) != std::string::npos) return false;
    mixed = mixed || (s.digits > 0 && s.letters > 0) ||
            (s.letters > 0 && has_any(word.substr(0, word.size() - 1), kSymbols));
    if (is_stop_word(low) && !mixed) return false;
    ++words_seen;
  }
  const Shape all = shape_of(v);
  if (has_any(v, "(){}[]<>;|\"\n/:,")) return false;
  if (mixed) return words_seen >= 2 && words_seen <= 10;
  return words_seen >= 3 && words_seen <= 10 && all.uppers <= words_seen && v.back() != '.' &&
         (all.uppers == 0 || all.uppers == words_seen);
}

bool is_repeated(std::string_view v) {
  return std::all_of(v.begin(), v.end(), [&](char c) { return c == v.front(); });
}

// Three small words or more between dashes.
bool is_dashed_phrase(std::string_view v) {
  return v.size() >= 15 && std::count(v.begin(), v.end(), '-') >= 2 &&
         std::all_of(v.begin(), v.end(), [](char c) { return ascii::is_lower(c) || c == '-'; });
}

bool is_plausible_password(std::string_view v, ValueStyle style, std::string_view name, bool short_name,
                           LookAhead& ahead) {
  if (v.size() < 4 || is_placeholder(v, ahead) || has_scheme(v, ahead)) return false;
  const Shape s = ahead.shape_of(v);
  if (s.letters == 0 && s.digits == 0) return false;
  if (s.blanks > 0) return style != ValueStyle::shell && is_passphrase(v);
  if (short_name && (s.letters == 0 || (style == ValueStyle::bare &&
                                        (ahead.wordiness(v) > 0.7 || v.find('/') != std::string_view::npos))))
    return false;
  const bool inner_symbol = s.letters > 0 && has_symbol(v.substr(0, v.size() - 1), ahead);
  const bool jumbled = s.letters == v.size() && v.size() >= 8 &&
                       (ahead.wordiness(v) < 0.4 || (s.switches * 4 >= v.size() && ahead.wordiness(v) < 0.7));
  if (style == ValueStyle::quoted) {
    if (s.digits > 0) return !(short_name && ahead.wordiness(v) > 0.8 && s.others > 0);
    return (s.others > 0 && (inner_symbol || (v.back() != '?' && has_symbol(v, ahead)))) || jumbled;
  }
  if (looks_like_code(v, s, ahead) && ahead.wordiness(v) > 0.2) return false;
  const bool identifier = is_identifier(v) || std::all_of(v.begin(), v.end(), is_name);
  if (style == ValueStyle::shell) {
    if (is_environment_name(name)) return s.digits > 0 || s.others > 0 || v.size() >= 6;
    const bool counted = s.digits >= 3 && s.digit_runs >= 2;
    if (identifier && !counted && v.find('_') != std::string_view::npos && ahead.wordiness(v) > 0.6) return false;
    return s.digits > 0 || inner_symbol || jumbled || (s.others > 0 && !identifier);
  }
  if (style == ValueStyle::told) {
    if (v.find('_') != std::string_view::npos && ahead.wordiness(v) > 0.6) return false;
    return (s.digits > 0 && s.letters > 0) || inner_symbol || jumbled || is_dashed_phrase(v);
  }
  // hashedPassword2 is a variable; hunter2 hardly is.
  if (is_random(v, 8, ahead)) return true;
  if (identifier) return s.digits > 0 && (s.uppers == 0 || s.switches > 4) && v.find('_') == std::string_view::npos;
  return s.digits > 0 || inner_symbol;
}

bool is_plausible_key(std::string_view v, ValueStyle style, std::string_view name, bool maybe, LookAhead& ahead) {
  if (v.size() < 8 || is_placeholder(v, ahead)) return false;
  const Shape s = ahead.shape_of(v);
  if (s.blanks > 0 || s.letters == 0 ||
      (v.find('|') != std::string_view::npos && (style != ValueStyle::quoted || v.size() < 30)) || has_scheme(v, ahead))
    return false;
  if (style != ValueStyle::quoted && looks_like_code(v, s, ahead) && ahead.wordiness(v) > 0.2) return false;
  const bool environment = is_environment_name(name);
  if (maybe && !environment) {
    // Such names also denote cache entries and other objects, so the value must look random.
    return is_random(v, 20, ahead) && s.digits >= 2 && s.lowers >= 2 && s.uppers >= 2 &&
           !has_any(v.substr(0, v.size() - 2), "=/:");
  }
  if (is_uuid(v)) return true;
  if (is_random(v, style == ValueStyle::told ? 12 : 10, ahead)) return true;
  // A name that says so clearly makes up for what looks like words by chance.
  if (!maybe && s.digits >= 3 && ahead.entropy(v) > 3 &&
      ahead.wordiness(v) < (s.digit_runs >= 3 && s.others == 0 ? 0.9 : 0.75) && v.size() >= 20)
    return true;
  // A secret that somebody made up.
  return environment && !maybe && style == ValueStyle::shell && s.digits > 0 && ahead.wordiness(v) < 0.9;
}

// Twelve small words or more.
bool is_seed_phrase(std::string_view v) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < v.size();) {
    const std::size_t end = std::min(v.find(' ', i), v.size());
    const std::string_view word = v.substr(i, end - i);
    i = end + 1;
    if (word.size() < 3 || word.size() > 8 || !std::all_of(word.begin(), word.end(), ascii::is_lower)) return false;
    ++count;
  }
  return count >= 12 && count <= 24;
}

// 123456, 1234-5678
bool is_pin(std::string_view v) {
  const Shape s = shape_of(v);
  return s.digits >= 4 && s.digits <= 10 && s.letters == 0 && s.blanks == 0 && s.others <= 1 &&
         (s.others == 0 || v.find('-') != std::string_view::npos) && !is_repeated(v);
}

bool is_plausible(std::string_view v, const SensitiveName& found, ValueStyle style, std::string_view name,
                  LookAhead& ahead) {
  if (v.empty() || v.size() > kLongestValue) return false;
  switch (found.value_kind) {
    case ValueKind::password: return is_plausible_password(v, style, name, false, ahead);
    case ValueKind::short_password: return is_plausible_password(v, style, name, true, ahead);
    case ValueKind::key: return is_plausible_key(v, style, name, false, ahead);
    case ValueKind::maybe_key: return is_plausible_key(v, style, name, true, ahead);
    case ValueKind::phrase: return is_seed_phrase(v);
    case ValueKind::pin: return is_pin(v);
    case ValueKind::card: return is_card_number(v);
    default: return false;
  }
}

std::string_view name_of_kind(ValueKind p) {
  return p == ValueKind::password || p == ValueKind::short_password ? "password" : "secret";
}

// Of the values that have blanks: phrases, numbers in groups.
Secret value_with_blanks(std::string_view text, std::size_t begin, const SensitiveName& name) {
  std::size_t end = begin;
  const auto fits = [&](char c) {
    return name.value_kind == ValueKind::phrase ? ascii::is_lower(c) || c == ' '
                                                : ascii::is_digit(c) || c == ' ' || c == '-';
  };
  while (end < text.size() && end - begin < 240 && fits(text[end]))
    ++end;
  while (end > begin && !ascii::is_alnum(text[end - 1]))
    --end;
  if (end < text.size() && ascii::is_alnum(text[end])) return {};
  const std::string_view value = text.substr(begin, end - begin);
  const bool is_value = name.value_kind == ValueKind::phrase ? is_seed_phrase(value)
                        : name.value_kind == ValueKind::card ? is_card_number(value)
                                                             : is_pin(value);
  if (!is_value) return {};
  return {begin, end, name_of_kind(name.value_kind)};
}

// Behind a comma, a semicolon or an ampersand: whether the next value begins.
bool next_begins(std::string_view text, std::size_t at) {
  if (at >= text.size() || ascii::is_space(text[at]) || is_quote_mark(text[at]) || text[at] == '\\' || text[at] == ')')
    return true;
  std::size_t i = at;
  while (i < text.size() && (is_name(text[i]) || text[i] == '.' || text[i] == ' ') && i - at < kLongestName)
    ++i;
  return i > at && i < text.size() && (text[i] == '=' || text[i] == ':');
}

std::size_t end_of_word(std::string_view text, std::size_t begin, LookAhead& ahead) {
  if (begin >= text.size()) return begin;
  return ahead.end_of(LookAhead::kWord, begin, std::min(text.size(), begin + kLongestValue + 1), [&](std::size_t i) {
    const char c = text[i];
    return ascii::is_space(c) || is_quote_mark(c) || c == '\\' || c == '<' ||
           ((c == ',' || c == ';' || c == '&') && next_begins(text, i + 1));
  });
}

std::size_t end_of_line(std::string_view text, std::size_t at) {
  const std::string_view line = text.substr(std::min(at, text.size()), kLongestValue);
  return at + std::min(line.find('\n'), line.size());
}

// The lines below a name that stand further to the right: a block of YAML.
Secret block_below(std::string_view text, const SensitiveName& name, std::size_t at, LookAhead& ahead) {
  std::size_t line = name.begin;
  while (line > 0 && text[line - 1] != '\n')
    --line;
  const auto indent_of = [&](std::size_t from) {
    std::size_t i = from;
    while (i < text.size() && text[i] == ' ')
      ++i;
    return i - from;
  };
  const std::size_t indent = indent_of(line);
  Secret out;
  for (std::size_t begin = end_of_line(text, at) + 1; begin < text.size();) {
    const std::size_t end = end_of_line(text, begin);
    if (indent_of(begin) <= indent && end > begin) break;
    if (end > begin) {
      if (!out) out.begin = begin + indent_of(begin);
      out.end = end;
    }
    begin = end + 1;
  }
  while (out && ascii::is_space(text[out.end - 1]))
    --out.end;
  const std::string_view value = text.substr(out.begin, out.end - out.begin);
  if (value.size() < 4 || is_placeholder(value, ahead)) return {};
  const Shape s = ahead.shape_of(value);
  if (s.digits == 0 && !is_passphrase(value)) return {};
  out.kind = name_of_kind(name.value_kind);
  return out;
}

struct Place {
  std::size_t at = 0;  // of the value
  bool apart = false;  // blanks are around the separator
  bool only_quoted = false;
  bool told = false;
  bool equals = false;
  bool only_token = false;
};

// "for staging is", "of the database:".
std::optional<std::size_t> behind_words(std::string_view text, std::size_t at) {
  const std::string_view line = text.substr(at, std::min<std::size_t>(48, end_of_line(text, at) - at));
  bool preposition = false;
  for (const std::string_view w : {"for ", "of ", "to ", "on ", "in "})
    preposition = preposition || line.starts_with(w);
  if (!preposition) return std::nullopt;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line.substr(i).starts_with(" is ")) return at + i + 4;
    if (line.substr(i).starts_with(": ")) return at + i + 2;
    if (!ascii::is_word(line[i]) && line[i] != ' ' && line[i] != '-' && line[i] != '.' && line[i] != '/') break;
  }
  return std::nullopt;
}

// Returns the place of the value. For `password: str = "…"`, the '=' after the type is tried second.
std::optional<Place> place_of_value(std::string_view text, const SensitiveName& name, bool& doubtful) {
  std::size_t i = name.end;
  const auto at = [&](std::size_t n) { return n < text.size() ? text[n] : '\0'; };
  const bool option = text[name.begin] == '-';
  // Quotes around the name, perhaps escaped; the bracket of an index; bold type.
  bool closed = false;
  while (i - name.end < 8 && (at(i) == '\\' || is_quote_mark(at(i)) || at(i) == ']' || at(i) == '*')) {
    closed = closed || is_quote_mark(at(i));
    ++i;
  }
  // \u003e
  doubtful = doubtful || (at(i) == 'u' && i > name.end && text[i - 1] == '\\');
  const std::size_t word_end = i;
  while (is_blank(at(i)) && i - word_end < 32)
    ++i;
  const bool blank = i > word_end;
  Place out;
  const char c = at(i);
  if (c == '=' || c == ':' || (c == '|' && at(i + 1) == '|') || (c == '?' && at(i + 1) == '=')) {
    doubtful = true;
    out.equals = c != ':';
    std::size_t signs = i + 1;
    while (signs - i < 3 &&
           (at(signs) == '=' || at(signs) == '>' || at(signs) == ':' || (c == '|' && at(signs) == '|')))
      ++signs;
    const std::string_view sign = text.substr(i, signs - i);
    if (sign == "::" || sign == "=:") return std::nullopt;
    if (sign.starts_with("==")) out.only_quoted = true;
    if (sign == ":=" || sign == "=>") out.equals = true;
    i = signs;
    const std::size_t after = i;
    if (at(i) == '*') i += at(i + 1) == '*' ? 2 : 1;  // bold type
    while (is_blank(at(i)) && i - after < 32)
      ++i;
    out.apart = blank || i > after || sign == "=>";
    out.at = i;
    return out;
  }
  if (c == '>' && !blank && name.begin > 0 && (text[name.begin - 1] == '<' || text[name.begin - 1] == ':')) {
    doubtful = true;
    out.at = i + 1;
    out.told = true;
    return out;
  }
  // "mail.smtp.password" is one name.
  std::size_t first = name.begin;
  while (first > 0 && name.begin - first < kLongestName && (is_name(text[first - 1]) || text[first - 1] == '.'))
    --first;
  const bool opened = first > 0 && is_quote_mark(text[first - 1]);
  if (opened && closed && !blank && (c == ',' || c == ')')) {  // define('DB_PASSWORD', '…')
    doubtful = true;
    if (c == ')') return std::nullopt;
    ++i;
    while (is_blank(at(i)))
      ++i;
    out.at = i;
    out.only_quoted = true;
    return out;
  }
  if (c == '(' && !blank) {  // setPassword("…")
    doubtful = true;
    out.at = i + 1;
    out.only_quoted = true;
    return out;
  }
  if (c == '|' && blank && (name.begin == 0 || text[name.begin - 1] != '$')) {  // a cell of a table
    doubtful = true;
    ++i;
    while (is_blank(at(i)))
      ++i;
    out.at = i;
    out.told = true;
    return out;
  }
  if (c == '\\' && !blank) doubtful = true;
  for (const std::string_view w :
       {"\xEF\xBC\x9A", "\xE6\x98\xAF", "\xE4\xB8\xBA", "\xE3\x81\xAF", "\xEB\x8A\x94", "\xEC\x9D\x80"})
    if (text.substr(i).starts_with(w)) {  // a wide colon, and "is" of Chinese, Japanese and Korean
      out.at = i + w.size();
      while (is_blank(at(out.at)))
        ++out.at;
      out.told = true;
      return out;
    }
  if (!blank) return std::nullopt;
  if (option) {
    doubtful = true;
    if (c == '-' || c == '=') return std::nullopt;
    out.at = i;
    out.equals = true;
    return out;
  }
  const std::string_view rest = text.substr(i, 8);
  // "is:", too
  const auto behind_word = [&](std::string_view w) -> std::size_t {
    if (!rest.starts_with(w)) return 0;
    const std::size_t end = w.size() + (rest.substr(w.size()).starts_with(':') ? 1 : 0);
    return rest.substr(end).starts_with(' ') ? i + end + 1 : 0;
  };
  for (const std::string_view w : {"is", "was", "ist", "est", "es", "lautet", "lauten", "\xC3\xA9", "\xE2\x86\x92",
                                   "\xE2\x80\x94", "\xE2\x80\x93", "=>", "->"})
    if (const std::size_t value = behind_word(w); value > 0) {
      doubtful = true;
      out.at = value;
      if (text.substr(out.at).starts_with("now ")) out.at += 4;
      if (at(out.at) == ':') out.at += 2;
      out.told = true;
      return out;
    }
  if (const auto behind = behind_words(text, i)) {
    doubtful = true;
    out.at = *behind;
    out.told = true;
    return out;
  }
  for (const std::string_view w : {"to", "with", "as"})  // "changed the password to …"; not "the password with SHA256"
    if (const std::size_t value = behind_word(w); value > 0) {
      doubtful = true;
      out.at = value;
      out.told = true;
      out.only_token = true;
      return out;
    }
  return std::nullopt;
}

Secret quoted_value(std::string_view text, const SensitiveName& name, std::size_t begin, std::size_t escape,
                    std::string_view name_text, LookAhead& ahead) {
  const char quote = text[begin++];
  std::size_t end = begin;
  while (end < text.size() && text[end] != quote && text[end] != '\n' && end - begin <= kLongestValue) {
    if (text[end] == '\\' && escape == 0 && end + 1 < text.size()) ++end;
    ++end;
  }
  if (end >= text.size() || text[end] != quote) return {};
  if (escape > 0) end -= std::min(end - begin, escape);
  if (!is_plausible(text.substr(begin, end - begin), name, ValueStyle::quoted, name_text, ahead)) return {};
  // A literal in several parts.
  for (std::size_t next = end + 1; escape == 0 && next < text.size() && next - end < 64; ++next) {
    if (text[next] == quote && next > end + 1) {
      const std::size_t last = text.find(quote, next + 1);
      if (last == std::string_view::npos || last - next > kLongestValue ||
          !is_random(text.substr(next + 1, last - next - 1), 8, ahead))
        break;
      end = next = last;
    } else if (!ascii::is_space(text[next]) && text[next] != '+' && text[next] != '\\') {
      break;
    }
  }
  return {begin, end, name_of_kind(name.value_kind)};
}

}  // namespace

bool is_random(std::string_view v, std::size_t least, LookAhead& ahead) {
  if (v.size() < least) return false;
  const Shape s = ahead.shape_of(v);
  if (s.blanks > 0 || s.letters == 0) return false;
  if (s.digits == 0 && (s.uppers < 2 || s.lowers < 2 || s.switches * 4 < v.size())) return false;
  if (s.switches < 3) return false;
  const bool jumbled = s.digits > 0 && s.others == 0 && s.digit_runs >= 3 && s.switches * 4 >= v.size();
  const double most_words = s.digits == 0 ? 0.35 : jumbled ? 0.8 : 0.6;
  return ahead.wordiness(v) < most_words && ahead.entropy(v) >= 2.6;
}

bool is_token_like(std::string_view v, std::size_t least, LookAhead& ahead) {
  if (v.size() < least) return false;
  const Shape s = ahead.shape_of(v);
  const std::size_t body = s.letters + s.digits;
  if (s.blanks > 0 || s.digits == 0 || s.uppers == 0 || s.lowers == 0 || body * 4 < v.size() * 3) return false;
  if (s.switches * 4 < body || (v.size() >= 20 && s.digits < 2)) return false;
  const double entropy = ahead.entropy(v);
  const double most_words = v.size() >= 32 && entropy >= 4.2 ? 0.65 : s.digit_runs >= 3 ? 0.6 : 0.45;
  return entropy >= (v.size() < 16 ? 2.6 : 3.2) && ahead.wordiness(v) < most_words;
}

bool is_card_number(std::string_view v) {
  std::size_t digits = 0;
  int sum = 0;
  for (std::size_t i = v.size(); i-- > 0;) {
    if (v[i] == ' ' || v[i] == '-') continue;
    if (!ascii::is_digit(v[i])) return false;
    int digit = v[i] - '0';
    if (digits++ % 2 == 1) digit = digit > 4 ? digit * 2 - 9 : digit * 2;
    sum += digit;
  }
  return digits >= 13 && digits <= 19 && sum % 10 == 0 && v.front() >= '3' && v.front() <= '6';
}

bool is_value_of(std::string_view v, const SensitiveName& name, ValueStyle style, LookAhead& ahead) {
  return is_plausible(v, name, style, ahead.text().substr(name.begin, name.end - name.begin), ahead);
}

std::string_view kind_of(const SensitiveName& name) { return name_of_kind(name.value_kind); }

bool is_password(std::string_view v, LookAhead& ahead) {
  return v.size() >= 3 && v.size() <= kLongestValue && !is_placeholder(v, ahead) &&
         ahead.any(LookAhead::kLetterOrDigit, v, [&](std::size_t i) { return ascii::is_alnum(ahead.text()[i]); });
}

bool has_scheme(std::string_view v, LookAhead& ahead) { return has(v, LookAhead::kScheme, "://", ahead); }

bool is_chosen_password(std::string_view v, LookAhead& ahead) {
  return is_plausible_password(v, ValueStyle::told, {}, false, ahead);
}

bool is_encoded_pair(std::string_view v) {
  while (v.ends_with('='))
    v.remove_suffix(1);
  std::size_t bytes = 0;
  bool is_pair = false;
  each_base64_byte(v, [&](char byte) {
    if (byte == ':') is_pair = bytes > 0 && v.size() > 8;
    ++bytes;
    return byte != ':' && static_cast<unsigned char>(byte) >= ' ' && byte != 0x7F;
  });
  return is_pair;
}

bool is_placeholder(std::string_view v, LookAhead& ahead) {
  if (v.empty()) return true;
  const std::string low = ascii::lowered(v.substr(0, 64));
  const auto ends = [&](char c) { return v.back() == c; };
  if (low.starts_with("[redacted") || low.starts_with("***")) return true;
  switch (v.front()) {
    case '$': {
      if (v.size() < 3) return true;
      if (v[1] == '{' || v[1] == '(' || v[1] == '<') return true;
      const std::string_view rest = v.substr(1);
      const std::size_t end = static_cast<std::size_t>(
          std::find_if_not(rest.begin(), rest.end(), [](char c) { return ascii::is_word(c); }) - rest.begin());
      if (rest.substr(end).find_first_not_of(":[]>-.'\"") == std::string_view::npos ||
          rest.substr(end).starts_with(":") || rest.substr(end).starts_with("->")) {
        // A variable. $ecret99 has a word that is none, and digits.
        const Shape s = ahead.shape_of(rest.substr(0, end));
        if (s.lowers == 0 || s.digits == 0) return true;
        return ahead.wordiness(rest) > 0.5 && (s.digits < 2 || rest.starts_with("pass") || rest.starts_with("token"));
      }
      return false;
    }
    case '<': return has(v, LookAhead::kGreater, ">", ahead);
    case '{': return ends('}');
    case '[': return ends(']');
    case '%':
      if (v.size() <= 3 || ends('%') || v[1] == '(' || v[1] == '{') return true;
      break;
    case '@':
    case '&': {
      const Shape s = ahead.shape_of(v);
      return s.digits == 0 || has(v, LookAhead::kSlash, "/", ahead) || is_identifier(v.substr(1));
    }
    default: break;
  }
  if (std::all_of(v.begin(), v.end(), [&](char x) { return x == v.front(); })) return true;
  for (const std::string& w : words(WordClass::placeholder_part))
    if (low.find(w) != std::string::npos) return true;
  for (const std::string& w : words(WordClass::placeholder))
    if (low.starts_with(w)) {
      std::string_view rest = v.substr(std::min(w.size(), v.size()));
      while (!rest.empty() && !ascii::is_alnum(rest.front()))
        rest.remove_prefix(1);
      const Shape s = ahead.shape_of(rest);
      return !(rest.size() >= 5 && s.digits > 0 && s.letters > 0 &&
               (ahead.wordiness(rest) < 0.5 || s.switches >= 5 || (s.digits >= 3 && s.digit_runs >= 2)) &&
               !has(rest, LookAhead::kDot, ".", ahead));
    }
  return false;
}

namespace {

// Behind the name of several: `": [`, or a colon at the end of its line.
bool list_follows(std::string_view behind) {
  std::size_t i = 0;
  while (i < behind.size() && (is_quote_mark(behind[i]) || behind[i] == '\\'))
    ++i;
  if (i == behind.size() || behind[i] != ':') return false;
  for (++i; i < behind.size() && behind[i] == ' ';)
    ++i;
  return i < behind.size() && (behind[i] == '[' || behind[i] == '\n' || behind.substr(i).starts_with("\\n"));
}

// PWD names a directory, but in some files a password: it has a value that is no path.
bool is_set_to_password(std::string_view behind) {
  std::size_t i = 0;
  while (i < behind.size() && i < 4 && (is_blank(behind[i]) || behind[i] == '='))
    ++i;
  return i > 0 && i < behind.size() && ascii::is_alnum(behind[i]) &&
         behind.substr(i, 2).find(':') == std::string_view::npos;
}

// What a name says of how its value is written: passwordValue, password_plain, token-raw. Returns its length, or 0.
std::size_t length_of_form(std::string_view behind) {
  const std::size_t joint = behind.starts_with('_') || behind.starts_with('-') ? 1 : 0;
  const std::string_view word = behind.substr(joint);
  if (word.empty() || (joint == 0 && !ascii::is_upper(word.front()))) return 0;
  for (const std::string_view form : {"value", "plaintext", "plain", "cleartext", "clear", "raw"})
    if (ascii::starts_nocase(word, form) && (word.size() == form.size() || !is_name(word[form.size()])))
      return joint + form.size();
  return 0;
}

}  // namespace

SensitiveName sensitive_name_at(std::string_view text, std::size_t word_begin, std::size_t word_end) {
  static const Endings kHarmless(WordClass::harmless_name);
  static const Endings kPassword(WordClass::password_name);
  static const Endings kShortPassword(WordClass::short_password_name);
  static const Endings kKey(WordClass::key_name);
  static const Endings kMaybeKey(WordClass::maybe_key_name);
  static const Endings kPhrase(WordClass::phrase_name);
  static const Endings kPin(WordClass::pin_name);
  static const Endings kCard(WordClass::card_name);
  SensitiveName out;
  out.end = word_end;
  const auto at = [&](std::size_t n) { return n < text.size() ? text[n] : '\0'; };
  // API_KEY_2, password1
  std::size_t digits = word_end + (at(word_end) == '_' || at(word_end) == '-' ? 1 : 0);
  while (ascii::is_digit(at(digits)) && digits - word_end < 4)
    ++digits;
  if (digits > word_end + 1 || (digits > word_end && ascii::is_digit(at(word_end)))) out.end = digits;
  // api_keys: [ … ]
  if (at(out.end) == 's' && !is_name(at(out.end + 1)) && list_follows(text.substr(out.end + 1, 12))) ++out.end;
  if (is_name(at(out.end))) out.end += length_of_form(text.substr(out.end, 16));
  if (is_name(at(out.end))) return out;
  out.begin = word_begin;
  while (out.begin > 0 && is_name(text[out.begin - 1]) && word_end - out.begin <= kLongestName)
    --out.begin;
  // The n of "\nTOKEN=" belongs to the escape sequence.
  if (out.begin > 0 && out.begin < word_begin && text[out.begin - 1] == '\\' && ascii::is_lower(text[out.begin]))
    ++out.begin;
  const std::string_view name = text.substr(out.begin, word_end - out.begin);
  std::array<char, kLongestName> buffer{};
  const std::string_view flat = flat_name(name, buffer);
  if ((name == "PWD" && !is_set_to_password(text.substr(out.end))) || kHarmless.fit(flat)) return out;
  // "my secret access key is …"
  if (out.begin == word_begin && out.begin > 1 && (text[out.begin - 1] == ' ' || text[out.begin - 1] == '.') &&
      ascii::is_letter(text[out.begin - 2])) {
    std::size_t before = out.begin - 1;
    while (before > 0 && is_name(text[before - 1]) && word_begin - before < 24)
      --before;
    const std::string joined = ascii::lowered(text.substr(before, out.begin - 1 - before)) + std::string(flat);
    if (kKey.fit(joined) && !kKey.fit(flat)) {
      out.value_kind = ValueKind::key;
      return out;
    }
  }
  const bool begins_word = out.begin == word_begin || !ascii::is_letter(text[word_begin - 1]) ||
                           (ascii::is_upper(text[word_begin]) && ascii::is_lower(text[word_begin - 1]));
  // SSHPASS=…, smbpass=…
  const bool is_variable = at(out.end) == '=' && at(out.end + 1) != '=' && flat.ends_with("pass");
  if (kPassword.fit(flat))
    out.value_kind = ValueKind::password;
  else if (kKey.fit(flat))
    out.value_kind = ValueKind::key;
  else if (is_variable || (begins_word && kShortPassword.fit(flat)))
    out.value_kind = ValueKind::short_password;
  else if (begins_word && word_begin > out.begin && kMaybeKey.fit(flat))
    out.value_kind = ValueKind::maybe_key;
  else if (kPhrase.fit(flat))
    out.value_kind = ValueKind::phrase;
  else if (begins_word && kPin.fit(flat))
    out.value_kind = ValueKind::pin;
  else if (begins_word && kCard.fit(flat))
    out.value_kind = ValueKind::card;
  else if (out.begin > 0 && (text[out.begin - 1] == '?' || text[out.begin - 1] == '&' || text[out.begin - 1] == ';') &&
           at(out.end) == '=' &&
           (words(WordClass::query_key_name).has(flat) || words(WordClass::maybe_key_name).has(flat)))
    out.value_kind = ValueKind::key;
  return out;
}

Secret named_value(std::string_view text, const SensitiveName& name, LookAhead& ahead, bool& doubtful) {
  if (name.value_kind == ValueKind::none) return {};
  bool follows = false;
  const auto place = place_of_value(text, name, follows);
  // Only what escape sequences may hide looks different without them.
  std::size_t seen = place ? end_of_word(text, place->at, ahead) : name.end + 16;
  if (place && place->apart && !place->equals) seen = std::max(seen, name.end + 24);  // a type, and then the value
  doubtful = doubtful || (follows && (name.value_kind == ValueKind::password ||
                                      text.substr(name.end, seen + 1 - name.end).find('\\') != std::string_view::npos));
  if (!place || place->at >= text.size()) return {};
  const std::string_view name_text = text.substr(name.begin, name.end - name.begin);
  std::size_t begin = place->at;
  const auto at = [&](std::size_t n) { return n < text.size() ? text[n] : '\0'; };
  while (at(begin) == '\\')
    ++begin;
  const std::size_t escape = begin - place->at;
  // A tag of YAML: !!str, !unsafe
  if (at(begin) == '!' && !place->equals) {
    std::size_t tag = begin;
    while (at(tag) == '!' || ascii::is_letter(at(tag)))
      ++tag;
    if (at(tag) == ' ') begin = tag + 1;
  }
  if (begin >= text.size()) return {};
  if (name.value_kind == ValueKind::phrase || name.value_kind == ValueKind::card || name.value_kind == ValueKind::pin)
    return value_with_blanks(text, begin + (is_quote_mark(text[begin]) ? 1 : 0), name);
  // Prefixes of strings: b"…", @"…", $'…'.
  if (!is_quote_mark(text[begin]) && escape == 0 && is_quote_mark(at(begin + 1)) &&
      (ascii::is_letter(text[begin]) || text[begin] == '@' || text[begin] == '$'))
    ++begin;
  if (is_quote_mark(text[begin]) && escape <= 3) {
    // Bold or quoted words of a sentence are a value as well.
    const Secret found = quoted_value(text, name, begin, escape, name_text, ahead);
    if (place->only_token && !is_token_like(text.substr(found.begin, found.end - found.begin), 8, ahead)) return {};
    return found;
  }
  if (escape > 0 || place->only_quoted) return {};
  if ((text[begin] == '|' || text[begin] == '>') && !place->equals &&
      text.substr(begin + 1, end_of_line(text, begin) - begin - 1).find_first_not_of("+- \r0123456789") ==
          std::string_view::npos)
    return block_below(text, name, begin, ahead);
  std::size_t end = end_of_word(text, begin, ahead);
  // bytes.fromhex("…")
  if (place->equals && end > begin && text[end - 1] == '(' && is_quote_mark(at(end))) {
    const Secret found = quoted_value(text, name, end, 0, name_text, ahead);
    // A password is asked for by such a call, too.
    const bool is_key = name.value_kind != ValueKind::password && name.value_kind != ValueKind::short_password;
    if (is_key || is_token_like(text.substr(found.begin, found.end - found.begin), 8, ahead)) return found;
  }
  // A type, and then the value: `key: &str = "…"`, `=> string(12) "…"`
  if (!place->equals || at(end) == ' ') {
    const std::size_t line = std::min(end_of_line(text, begin), begin + 40);
    const std::size_t equals = text.substr(0, line).find("= ", begin);
    std::size_t quote = equals == std::string_view::npos ? end + 1 : equals + 2;
    const bool is_type =
        equals != std::string_view::npos && !place->equals && text[equals - 1] == ' ' &&
        std::all_of(text.begin() + static_cast<std::ptrdiff_t>(begin),
                    text.begin() + static_cast<std::ptrdiff_t>(equals), [](char x) {
                      return ascii::is_word(x) || std::string_view("&<>[] .*?|'").find(x) != std::string_view::npos;
                    });
    const bool is_counted = equals == std::string_view::npos && end > begin && text[end - 1] == ')' && at(end) == ' ';
    if ((is_type || is_counted) && is_quote_mark(at(quote)))
      return quoted_value(text, name, quote, 0, name_text, ahead);
  }
  const ValueStyle style = place->told                      ? ValueStyle::told
                           : place->equals && !place->apart ? ValueStyle::shell
                                                            : ValueStyle::bare;
  if (place->told)  // text in scripts without blanks goes on
    end = static_cast<std::size_t>(std::find_if(text.begin() + static_cast<std::ptrdiff_t>(begin),
                                                text.begin() + static_cast<std::ptrdiff_t>(end),
                                                [](char c) { return c == '\xE3' || c == '\xEF'; }) -
                                   text.begin());
  // A line that goes on.
  while (at(end) == '\\' && at(end + 1) == '\n' && end - begin <= kLongestValue) {
    const std::size_t next = end_of_word(text, end + 2, ahead);
    if (!is_random(text.substr(end + 2, next - end - 2), 8, ahead)) break;
    end = next;
  }
  // The bracket of a default: ${db.password:…}
  if (const auto open = text.substr(begin, end - begin).find('{'); open == std::string_view::npos)
    while (end > begin && text[end - 1] == '}')
      --end;
  // The full stop of a sentence, the bracket around it.
  while (end > begin && (text[end - 1] == '.' || text[end - 1] == ')' || text[end - 1] == ',' || text[end - 1] == '*'))
    --end;
  if (end == begin) return {};
  const std::string_view value = text.substr(begin, end - begin);
  if (place->only_token && !is_token_like(value, 8, ahead)) return {};
  if (is_plausible(value, name, style, name_text, ahead)) {
    // `password: value2,` is an argument list or an object of code.
    if (style == ValueStyle::bare && name.value_kind == ValueKind::password && at(end) == ',' &&
        std::all_of(value.begin(), value.end(), is_name) && !is_random(value, 8, ahead))
      return {};
    return {begin, end, name_of_kind(name.value_kind)};
  }
  // name: three words of a passphrase
  if (style == ValueStyle::bare && name.value_kind == ValueKind::password && !place->equals && at(end) == ' ') {
    std::size_t last = end_of_line(text, begin);
    while (last > begin && ascii::is_space(text[last - 1]))
      --last;
    const std::string_view line = text.substr(begin, last - begin);
    if (line.size() <= 80 && is_passphrase(line) && !is_placeholder(line, ahead))
      return {begin, last, name_of_kind(name.value_kind)};
  }
  return {};
}

}  // namespace memd::redaction
