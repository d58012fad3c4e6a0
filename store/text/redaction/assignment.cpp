#include "store/text/redaction/assignment.hpp"

#include "schemas/ascii.hpp"
#include "store/text/words.hpp"

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
  const auto ends_in_one = [&](WordClass of) {
    const WordList& list = words(of);
    return std::any_of(list.begin(), list.end(), [&](const std::string& w) { return flat.ends_with(w); });
  };
  if (ends_in_one(WordClass::harmless_name)) return Strength::none;
  if (ends_in_one(WordClass::password_name))
    return flat == "pwd" && name == "PWD" ? Strength::none : Strength::password;
  return ends_in_one(WordClass::key_name) ? Strength::key : Strength::none;
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
  for (const std::string& w : words(WordClass::placeholder))
    if (s.starts_with(w)) return true;
  for (const std::string& w : words(WordClass::placeholder_part))
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

namespace {

bool is_token(char c) { return ascii::is_alnum(c) || c == '_' || c == '-'; }
bool is_base64(char c) { return ascii::is_alnum(c) || c == '+' || c == '/' || c == '='; }

// Whether a token at `begin` would be the rest of a longer word. In "\nghp_…" of JSON the n belongs to the escape, and
// so does the c of "\u003cghp_…".
bool inside_word(std::string_view text, std::size_t begin, std::size_t floor) {
  if (begin == floor || !ascii::is_alnum(text[begin - 1])) return false;
  if (begin >= floor + 6 && text[begin - 6] == '\\' && text[begin - 5] == 'u') return false;
  return begin < floor + 2 || text[begin - 2] != '\\';
}

struct Form {
  std::string_view prefix;
  std::string_view kind;
  std::size_t least;  // bytes after the prefix
  bool dashes;        // whether '-' and '_' belong to it
};

// Ordered by prefix length where one begins another.
constexpr std::array kUnderscore{
    Form{"ghp_", "github_token", 20, false},
    Form{"gho_", "github_token", 20, false},
    Form{"ghu_", "github_token", 20, false},
    Form{"ghs_", "github_token", 20, false},
    Form{"ghr_", "github_token", 20, false},
    Form{"github_pat_", "github_token", 22, true},
    Form{"npm_", "npm_token", 30, false},
    Form{"sk_live_", "stripe_key", 10, false},
    Form{"sk_test_", "stripe_key", 10, false},
    Form{"rk_live_", "stripe_key", 10, false},
    Form{"rk_test_", "stripe_key", 10, false},
    Form{"pk_live_", "stripe_key", 20, false},
    Form{"whsec_", "stripe_key", 20, false},
    Form{"hf_", "huggingface_token", 30, false},
    Form{"gsk_", "groq_key", 32, false},
    Form{"shpat_", "shopify_token", 32, false},
    Form{"dop_v1_", "digitalocean_token", 40, false},
    Form{"lin_api_", "linear_key", 32, false},
    Form{"figd_", "figma_token", 30, true},
    Form{"dckr_pat_", "docker_token", 20, true},
};
constexpr std::array kDash{
    Form{"glpat-", "gitlab_token", 18, true},   Form{"gldt-", "gitlab_token", 18, true},
    Form{"glrt-", "gitlab_token", 18, true},    Form{"xoxb-", "slack_token", 16, true},
    Form{"xoxp-", "slack_token", 16, true},     Form{"xoxa-", "slack_token", 16, true},
    Form{"xoxr-", "slack_token", 16, true},     Form{"xoxs-", "slack_token", 16, true},
    Form{"xapp-", "slack_token", 16, true},     Form{"sk-ant-", "anthropic_key", 20, true},
    Form{"sk-proj-", "openai_key", 20, true},   Form{"sk-svcacct-", "openai_key", 20, true},
    Form{"sk-or-", "openrouter_key", 30, true}, Form{"xai-", "xai_key", 40, true},
    Form{"pypi-", "pypi_token", 50, true},      Form{"GOCSPX-", "google_secret", 20, true},
    Form{"sk-", "openai_key", 20, false},
};

// The bytes that stand before the first `trigger` of a form: most triggers in a text have another one.
template <std::size_t N>
constexpr std::array<bool, 256> bytes_before(const std::array<Form, N>& forms, char trigger) {
  std::array<bool, 256> out{};
  for (const Form& f : forms)
    out[static_cast<unsigned char>(f.prefix[f.prefix.find(trigger) - 1])] = true;
  return out;
}
constexpr auto kBeforeUnderscore = bytes_before(kUnderscore, '_');
constexpr auto kBeforeDash = bytes_before(kDash, '-');

bool has_digit(std::string_view s) { return std::any_of(s.begin(), s.end(), ascii::is_digit); }

// Whether text[at] is the byte in `prefix` at `offset`, with all of the prefix there and nothing of a word before it.
template <std::size_t N>
Secret match(const std::array<Form, N>& forms, std::string_view text, std::size_t at, std::size_t floor, char trigger) {
  for (const Form& f : forms) {
    const std::size_t offset = f.prefix.find(trigger);
    if (offset > at - floor) continue;
    const std::size_t begin = at - offset;
    if (text[begin] != f.prefix[0] || text.substr(begin, f.prefix.size()) != f.prefix) continue;
    if (inside_word(text, begin, floor)) continue;
    std::size_t end = begin + f.prefix.size();
    while (end < text.size() && (f.dashes ? is_token(text[end]) : ascii::is_alnum(text[end])))
      ++end;
    const std::string_view body = text.substr(begin + f.prefix.size(), end - begin - f.prefix.size());
    if (body.size() < f.least || !has_digit(body)) continue;
    return {begin, end, f.kind};
  }
  return {};
}

Secret private_key_block(std::string_view text, std::size_t at) {
  if (!text.substr(at).starts_with("-----BEGIN ")) return {};
  const std::size_t label = at + 11;
  const std::size_t label_end = text.find("-----", label);
  if (label_end == std::string_view::npos || label_end - label > 40) return {};
  if (text.substr(label, label_end - label).find("PRIVATE KEY") == std::string_view::npos) return {};
  const std::size_t body = label_end + 5;
  // A key that was cut off, or one whose line ends are written as \n.
  std::size_t end = body;
  std::size_t solid = 0;
  while (end < text.size()) {
    const char c = text[end];
    const bool inside = is_base64(c) || c == '\n' || c == '\r' || c == '\\' || c == ' ' || c == '\t' || c == ':' ||
                        c == ',' || c == '-' || c == '"' || c == '.';
    if (text.substr(end).starts_with("-----END ")) break;
    if (!inside || (c == '"' && end + 1 < text.size() && (text[end + 1] == ',' || text[end + 1] == '}'))) break;
    solid += is_base64(c) ? 1 : 0;
    ++end;
  }
  if (solid < 16) return {};
  if (text.substr(end).starts_with("-----END ")) {
    const std::size_t close = text.find("-----", end + 9);
    if (close != std::string_view::npos && close - end < 60) return {at, close + 5, "private_key"};
  }
  return {at, end, "private_key"};
}

}  // namespace

Secret token_at_underscore(std::string_view text, std::size_t at, std::size_t floor) {
  if (at == floor || !kBeforeUnderscore[static_cast<unsigned char>(text[at - 1])]) return {};
  return match(kUnderscore, text, at, floor, '_');
}

Secret token_at_dash(std::string_view text, std::size_t at, std::size_t floor, bool& named) {
  if (at + 1 < text.size() && text[at + 1] == '-') {
    if (at > floor && text[at - 1] == '-') return {};
    if (text.substr(at, 3) == "---") {
      named = named || text.substr(at).starts_with("-----BEGIN ");
      return private_key_block(text, at);
    }
    return option_secret(text, at, named);
  }
  if (at == floor || !kBeforeDash[static_cast<unsigned char>(text[at - 1])]) return {};
  return match(kDash, text, at, floor, '-');
}

Secret token_at_dot(std::string_view text, std::size_t at, std::size_t floor) {
  // SendGrid: SG.<22>.<43>; Google OAuth: ya29.<…>
  const auto run = [&](std::size_t from) {
    while (from < text.size() && (is_token(text[from]) || text[from] == '.'))
      ++from;
    return from;
  };
  if (at >= floor + 2 && text.substr(at - 2, 3) == "SG." && !inside_word(text, at - 2, floor)) {
    const std::size_t end = run(at + 1);
    if (end - at >= 60) return {at - 2, end, "sendgrid_key"};
  }
  if (at >= floor + 4 && text.substr(at - 4, 5) == "ya29." && !inside_word(text, at - 4, floor)) {
    const std::size_t end = run(at + 1);
    if (end - at >= 30) return {at - 4, end, "google_token"};
  }
  return {};
}

Secret token_at_letter(std::string_view text, std::size_t at, std::size_t floor) {
  const auto run = [&](std::size_t from) {
    while (from < text.size() && is_token(text[from]))
      ++from;
    return from;
  };
  if (text[at] == 'J') {  // eyJ….eyJ….signature
    if (at < floor + 2 || text.substr(at - 2, 2) != "ey" || inside_word(text, at - 2, floor)) return {};
    const std::size_t head = run(at);
    if (head - at < 8 || !text.substr(head).starts_with(".eyJ")) return {};
    const std::size_t body = run(head + 1);
    if (body - head < 12) return {};
    const std::size_t end = body < text.size() && text[body] == '.' ? run(body + 1) : body;
    return {at - 2, end, "jwt"};
  }
  if (text[at] == 'I') {  // AKIA / ASIA + 16; AIza + 35
    if (at >= floor + 2 && text[at - 2] == 'A' && (text[at - 1] == 'K' || text[at - 1] == 'S') &&
        at + 1 < text.size() && text[at + 1] == 'A' && !inside_word(text, at - 2, floor)) {
      std::size_t end = at + 2;
      while (end < text.size() && (ascii::is_upper(text[end]) || ascii::is_digit(text[end])))
        ++end;
      if (end - at - 2 == 16 && (end == text.size() || !is_token(text[end]))) return {at - 2, end, "aws_key"};
      return {};
    }
    if (at >= floor + 1 && text.substr(at - 1, 4) == "AIza" && !inside_word(text, at - 1, floor)) {
      const std::size_t end = run(at + 3);
      if (end - at - 3 >= 33 && has_digit(text.substr(at + 3, end - at - 3))) return {at - 1, end, "google_key"};
    }
  }
  return {};
}

Secret token_at_colon(std::string_view text, std::size_t at, std::size_t floor, bool& named) {
  // Authorization: Bearer <value>
  std::size_t name_end = at;
  while (name_end > floor && (text[name_end - 1] == '"' || text[name_end - 1] == '\'' || text[name_end - 1] == '\\'))
    --name_end;
  constexpr std::string_view kHeader = "authorization";
  if (name_end >= floor + kHeader.size() &&
      ascii::equal_nocase(text.substr(name_end - kHeader.size(), kHeader.size()), kHeader)) {
    named = true;
    std::size_t i = at + 1;
    while (i < text.size() && i - at < 6 &&
           (text[i] == ' ' || text[i] == '"' || text[i] == '\'' || text[i] == '\\' || text[i] == '`'))
      ++i;
    for (const std::string_view scheme : {"bearer ", "basic ", "token ", "apikey "}) {
      if (!ascii::equal_nocase(text.substr(i, std::min(scheme.size(), text.size() - i)), scheme)) continue;
      i += scheme.size();
      std::size_t end = i;
      while (end < text.size() && (is_token(text[end]) || is_base64(text[end]) || text[end] == '.' || text[end] == '~'))
        ++end;
      const std::string_view value = text.substr(i, end - i);
      if (value.size() < 8 || is_placeholder(value)) return {};
      const bool word = std::all_of(value.begin(), value.end(), [](char c) { return ascii::is_lower(c) || c == '.'; });
      return word ? Secret{} : Secret{i, end, "authorization"};
    }
    return {};
  }
  // curl -u user:password
  std::size_t user = at;
  while (user > floor && at - user < 64 && (is_token(text[user - 1]) || text[user - 1] == '.' || text[user - 1] == '@'))
    --user;
  if (user < at && user > floor) {
    std::size_t flag = user;
    if (text[flag - 1] == '"' || text[flag - 1] == '\'') --flag;
    const std::string_view before = text.substr(floor, flag - floor);
    named = named || before.ends_with("-u ") || before.ends_with("-user ");
    if (before.ends_with("curl -u ") ||
        (before.ends_with(" -u ") && before.substr(before.rfind('\n') + 1).find("curl") != std::string_view::npos) ||
        before.ends_with(" --user ")) {
      std::size_t end = at + 1;
      while (end < text.size() && text[end] != ' ' && text[end] != '\n' && text[end] != '"' && text[end] != '\'' &&
             text[end] != '\\')
        ++end;
      const std::string_view value = text.substr(at + 1, end - at - 1);
      if (value.size() >= 4 && !is_placeholder(value) && !std::all_of(value.begin(), value.end(), ascii::is_digit))
        return {at + 1, end, "password"};
    }
  }
  return {};
}

Secret url_secret(std::string_view text, std::size_t at) {
  const std::size_t host = at + 3;
  constexpr std::string_view kSlack = "hooks.slack.com/services/";
  if (text.substr(host).starts_with(kSlack)) {
    std::size_t end = host + kSlack.size();
    while (end < text.size() && (ascii::is_alnum(text[end]) || text[end] == '/'))
      ++end;
    const std::size_t begin = host + kSlack.size();
    if (end - begin >= 30) return {begin, end, "slack_webhook"};
    return {};
  }
  // user:password@host
  std::size_t colon = 0;
  std::size_t sign = 0;
  constexpr std::size_t kReach = 512;
  for (std::size_t i = host; i < text.size() && i - host < kReach; ++i) {
    const char c = text[i];
    if (c == ':' && colon == 0) colon = i;
    if (c == '@') sign = i;
    if (c == '/' || c == ' ' || c == '\n' || c == '"' || c == '\'' || c == '`' || c == '<' || c == '>' || c == '\\' ||
        c == ')' || c == '[' || c == '\t' || c == '?')
      break;
  }
  if (colon == 0 || sign <= colon + 1) return {};
  const std::string_view password = text.substr(colon + 1, sign - colon - 1);
  const std::string_view user = text.substr(host, colon - host);
  if (password.size() < 3 || is_placeholder(password) || is_placeholder(user.empty() ? "u" : user)) return {};
  constexpr std::array<std::string_view, 6> kWords{"password", "pass", "pwd", "PASSWORD", "passwd", "secret"};
  if (std::find(kWords.begin(), kWords.end(), password) != kWords.end()) return {};
  return {colon + 1, sign, "password"};
}

}  // namespace memd::redaction
