#include "store/text/redaction/assignment.hpp"

#include "schemas/ascii.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace memd::redaction {
namespace {

bool is_name(char c) { return ascii::is_letter(c) || ascii::is_digit(c) || c == '_' || c == '-'; }
bool is_quote(char c) { return c == '"' || c == '\'' || c == '`'; }

enum class Strength { none, password, key };

constexpr std::size_t kLongestName = 64;

// By the end of the name, separators and case ignored: DB_PASSWORD, clientSecret, x-api-key.
Strength strength_of(std::string_view name) {
  if (name.size() < 3 || name.size() > kLongestName) return Strength::none;
  char buffer[kLongestName];
  std::size_t n = 0;
  for (const char c : name)
    if (c != '_' && c != '-') buffer[n++] = ascii::lower(c);
  const std::string_view flat(buffer, n);
  constexpr std::array<std::string_view, 6> kPasswords{"password", "passwd",   "passphrase",
                                                       "pwd",      "passwort", "pgpassword"};
  constexpr std::array<std::string_view, 14> kKeys{
      "secret",     "secretkey", "accesskey", "apikey",        "token",      "authkey",       "privatekey",
      "signingkey", "authtoken", "apisecret", "encryptionkey", "credential", "webhooksecret", "masterkey"};
  constexpr std::array<std::string_view, 5> kNotSecret{"pagetoken", "synctoken", "continuationtoken", "nexttoken",
                                                       "canceltoken"};
  for (const std::string_view w : kNotSecret)
    if (flat.ends_with(w)) return Strength::none;
  for (const std::string_view w : kPasswords)
    if (flat.ends_with(w)) return flat == "pwd" && name == "PWD" ? Strength::none : Strength::password;
  for (const std::string_view w : kKeys)
    if (flat.ends_with(w)) return Strength::key;
  return Strength::none;
}

std::string_view kind_of(Strength s) { return s == Strength::password ? "password" : "secret"; }

struct Shape {
  std::size_t letters = 0;
  std::size_t lowers = 0;
  std::size_t uppers = 0;
  std::size_t digits = 0;
  std::size_t others = 0;
  std::size_t blanks = 0;
  std::size_t switches = 0;  // between letter cases and digits inside, as random strings have
};

Shape shape_of(std::string_view v) {
  Shape s;
  char before = 0;
  for (const char c : v) {
    const char cls = ascii::is_lower(c) ? 'a' : ascii::is_upper(c) ? 'A' : ascii::is_digit(c) ? '0' : '.';
    s.lowers += cls == 'a' ? 1 : 0;
    s.uppers += cls == 'A' ? 1 : 0;
    s.digits += cls == '0' ? 1 : 0;
    s.others += cls == '.' ? 1 : 0;
    s.blanks += c == ' ' || c == '\t' ? 1 : 0;
    s.switches += before != 0 && cls != before ? 1 : 0;
    before = cls;
  }
  s.letters = s.lowers + s.uppers;
  return s;
}

enum class Style { quoted, shell, bare };  // bare: after "name: " or "name = ", where code may stand

// A path, a call, a member access, a type: what code has where a secret could be.
bool looks_like_code(std::string_view v, const Shape& s) {
  if (v.find_first_of("(){}[]<>;|") != std::string_view::npos) return true;
  if (v.front() == '/' || v.starts_with("./") || v.starts_with("../") || v.starts_with("~/")) return true;
  if (v.find("::") != std::string_view::npos || v.find("->") != std::string_view::npos) return true;
  // a.b.c without digits
  return v.find('.') != std::string_view::npos && s.digits == 0;
}

bool is_plausible(std::string_view v, Strength strength, Style style) {
  if (v.size() < 6 || v.size() > 4096 || is_placeholder(v)) return false;
  const Shape s = shape_of(v);
  if (s.blanks > 0 || (s.letters == 0 && s.digits == 0)) return false;
  if (v.find("://") != std::string_view::npos) return false;
  if (strength == Strength::password) {
    if (style == Style::quoted)
      return s.digits > 0 ||
             (s.others > 0 && s.letters > 0 && v.find_first_of("!@#$%^&*+=?") != std::string_view::npos);
    if (looks_like_code(v, s)) return false;
    if (style == Style::shell) return s.digits > 0 || s.others > 0 || v.size() >= 8;
    // hashedPassword2 is a variable; hunter2 hardly is.
    const bool identifier = s.others == 0 || std::all_of(v.begin(), v.end(), is_name);
    if (identifier) return s.digits > 0 && (s.uppers == 0 || s.switches > 4) && v.find('_') == std::string_view::npos;
    return s.digits > 0;
  }
  if (v.size() < 12 || s.letters == 0) return false;
  if (style != Style::quoted && looks_like_code(v, s)) return false;
  if (s.digits >= 2 && s.switches >= 3) return true;
  return v.size() >= 20 && s.uppers > 2 && s.lowers > 2 && s.switches >= v.size() / 3 && s.digits > 0;
}

// `at` stands behind the separator. Finds the value and how it is written.
Secret value_at(std::string_view text, std::size_t at, Strength strength, bool separated_by_blank, bool equals) {
  std::size_t escape = 0;
  std::size_t begin = at;
  while (begin < text.size() && text[begin] == '\\')
    ++begin;
  escape = begin - at;
  if (begin >= text.size()) return {};
  if (is_quote(text[begin]) && escape <= 3) {
    const char quote = text[begin++];
    std::size_t end = begin;
    constexpr std::size_t kReach = 4200;
    while (end < text.size() && text[end] != quote && text[end] != '\n' && end - begin < kReach) {
      if (text[end] == '\\' && escape == 0 && end + 1 < text.size()) ++end;
      ++end;
    }
    if (end >= text.size() || text[end] != quote) return {};
    if (escape > 0) end -= std::min(end - begin, escape);
    if (!is_plausible(text.substr(begin, end - begin), strength, Style::quoted)) return {};
    return {begin, end, kind_of(strength)};
  }
  if (escape > 0) return {};
  std::size_t end = begin;
  while (end < text.size()) {
    const char c = text[end];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',' || is_quote(c) || c == '\\' || c == ';') break;
    if (equals && !separated_by_blank && c == '&') break;
    ++end;
  }
  // The full stop of a sentence, the bracket around it.
  while (end > begin && (text[end - 1] == '.' || text[end - 1] == ')'))
    --end;
  if (end == begin) return {};
  const Style style = equals && !separated_by_blank ? Style::shell : Style::bare;
  const std::string_view value = text.substr(begin, end - begin);
  if (!is_plausible(value, strength, style)) return {};
  // `password: value2,` is an argument list or an object of code.
  if (style == Style::bare && strength == Strength::password && end < text.size() && text[end] == ',' &&
      std::all_of(value.begin(), value.end(), is_name))
    return {};
  return {begin, end, kind_of(strength)};
}

}  // namespace

bool is_placeholder(std::string_view v) {
  if (v.empty()) return true;
  const char c = v.front();
  if (c == '$' || c == '<' || c == '{' || c == '[' || c == '%' || c == '@' || c == '&')
    return c != '$' || v.size() < 3 || v[1] != '2';
  char low[48];
  const std::size_t n = std::min(v.size(), sizeof low);
  std::transform(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(n), low, ascii::lower);
  const std::string_view s(low, n);
  constexpr std::array<std::string_view, 24> kStarts{
      "your",     "my-",         "my_",       "example",   "sample",    "test-",   "test_", "dummy",
      "fake",     "placeholder", "changeme",  "change-me", "change_me", "insert",  "enter", "redacted",
      "process.", "os.environ",  "os.getenv", "getenv",    "env.",      "config.", "null",  "undefined"};
  for (const std::string_view w : kStarts)
    if (s.starts_with(w)) return true;
  constexpr std::array<std::string_view, 10> kInside{"xxx", "***",   "...",   "…",         "${",
                                                     "{{",  "-here", "_here", "goes-here", "env["};
  for (const std::string_view w : kInside)
    if (s.find(w) != std::string_view::npos) return true;
  return std::all_of(v.begin(), v.end(), [&](char x) { return x == c; });
}

Secret assigned_secret(std::string_view text, std::size_t at, bool& named) {
  const bool equals = text[at] == '=';
  // Left: name, perhaps quoted (perhaps with escaped quotes, JSON in JSON), perhaps with a blank.
  std::size_t end = at;
  bool blank = false;
  while (end > 0 && at - end < 3 && text[end - 1] == ' ') {
    --end;
    blank = true;
  }
  if (end > 0 && text[end - 1] == ':' && equals) --end;  // :=
  if (end > 0 && is_quote(text[end - 1])) --end;
  while (end > 0 && text[end - 1] == '\\')
    --end;
  // Most names end in another letter than these do.
  if (end == 0) return {};
  switch (ascii::lower(text[end - 1])) {
    case 'd':
    case 'e':
    case 't':
    case 'y':
    case 'n':
    case 'l': break;
    default: return {};
  }
  std::size_t begin = end;
  while (begin > 0 && is_name(text[begin - 1]) && end - begin <= kLongestName)
    --begin;
  const Strength strength = strength_of(text.substr(begin, end - begin));
  if (strength == Strength::none) return {};
  named = true;
  // Right
  std::size_t value = at + 1;
  if (value < text.size() && (text[value] == '=' || text[value] == '>' || text[value] == ':')) {
    if (text[value] != '>') return {};  // a comparison, a scope
    ++value;
  }
  if (!equals && value < text.size() && text[value] == '=') ++value;
  const std::size_t after_sign = value;
  while (value < text.size() && value - after_sign < 4 && (text[value] == ' ' || text[value] == '\t'))
    ++value;
  return value_at(text, value, strength, blank || value != after_sign, equals);
}

Secret option_secret(std::string_view text, std::size_t at, bool& named) {
  std::size_t end = at + 2;
  while (end < text.size() && is_name(text[end]) && end - at <= kLongestName)
    ++end;
  if (end >= text.size() || (text[end] != ' ' && text[end] != '\\')) return {};
  const Strength strength = strength_of(text.substr(at + 2, end - at - 2));
  if (strength == Strength::none) return {};
  named = true;
  if (text[end] != ' ' || text[end + 1 < text.size() ? end + 1 : end] == '-') return {};
  return value_at(text, end + 1, strength, true, true);
}

}  // namespace memd::redaction
