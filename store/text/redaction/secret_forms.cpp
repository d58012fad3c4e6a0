#include "store/text/redaction/secret_forms.hpp"

#include "schemas/base/ascii.hpp"
#include "store/text/redaction/named_value.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace memd::redaction {
namespace {

bool is_base64_of_key(char c) { return ascii::is_alnum(c) || c == '+' || c == '/' || c == '='; }

constexpr std::size_t kLongestUrl = 1024;

// Whether a host follows: "db.example.com:5432/", "[::1]".
bool host_follows(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size() && (ascii::is_alnum(text[i]) || text[i] == '.' || text[i] == '-' || text[i] == '_' ||
                             text[i] == '[' || text[i] == ']' || text[i] == '$' || text[i] == '{' || text[i] == '}'))
    ++i;
  return i > 0;
}

void find_in_url(std::string_view text, std::size_t at, LookAhead& ahead, std::vector<Secret>& out, bool& doubtful) {
  if (text[at + 1] == '\\') {  // ":\/\/" of careful writers of JSON
    const std::string_view near = text.substr(at, kLongestUrl / 2);
    doubtful = near.find('/') < 8 && near.find('@') < near.find('"');
    return;
  }
  const std::size_t host = at + 3;
  if (host >= text.size()) return;
  const std::string_view rest = text.substr(host, kLongestUrl);
  std::size_t colon = std::string_view::npos;
  std::size_t sign = std::string_view::npos;
  std::size_t path = std::string_view::npos;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const char c = rest[i];
    if (ascii::is_space(c) || is_quote_mark(c) || c == '<' || c == '>' || c == '\\' || c == ')' || c == ']') break;
    if (c == ':' && colon == std::string_view::npos && path == std::string_view::npos) colon = i;
    if ((c == '/' || c == '?' || c == '#') && path == std::string_view::npos) path = i;
    if (c == '@' && (path == std::string_view::npos || host_follows(rest.substr(i + 1)))) sign = i;
    if (path != std::string_view::npos && colon == std::string_view::npos) break;
  }
  if (sign == std::string_view::npos) return;
  const std::string_view scheme_end = text.substr(at > 16 ? at - 16 : 0, at > 16 ? 16 : at);
  if (colon == std::string_view::npos || colon > sign) {
    // A token for a user: https://<token>@host
    if (path != std::string_view::npos && path < sign) return;
    const std::string_view user = rest.substr(0, sign);
    if (is_random(user, 16, ahead) && !is_placeholder(user, ahead)) out.push_back({host, host + sign, "secret"});
    return;
  }
  doubtful = true;
  const std::string_view user = rest.substr(0, colon);
  std::string_view password = rest.substr(colon + 1, sign - colon - 1);
  if (path != std::string_view::npos && path < sign) {
    // A slash before the '@': a port and a path, if it is not a password with a slash.
    const std::string_view before = rest.substr(colon + 1, path - colon - 1);
    if (before.empty() || std::all_of(before.begin(), before.end(), ascii::is_digit)) return;
    const bool web = scheme_end.ends_with("http") || scheme_end.ends_with("https");
    if (web && rest.substr(path, sign - path).find('=') != std::string_view::npos) return;
  }
  if (password.size() < 3 || is_placeholder(password, ahead) ||
      (!user.empty() && is_placeholder(user, ahead) && !is_random(password, 8, ahead)))
    return;
  constexpr std::array<std::string_view, 7> kWords{"password", "pass", "pwd", "PASSWORD", "passwd", "secret", "PASS"};
  if (std::find(kWords.begin(), kWords.end(), password) != kWords.end()) return;
  out.push_back({host + colon + 1, host + sign, "password"});
}

// Authorization: Bearer <value>
void find_in_header(std::string_view text, std::size_t at, LookAhead& ahead, std::vector<Secret>& out, bool& doubtful) {
  std::size_t i = at + std::string_view("authorization").size();
  const auto skip = [&](std::string_view chars, std::size_t most) {
    const std::size_t begin = i;
    while (i < text.size() && i - begin < most && chars.find(text[i]) != std::string_view::npos)
      ++i;
    return i > begin;
  };
  skip("\\\"'`]", 5);
  skip(" ", 4);
  if (!skip(":=,", 1)) return;
  doubtful = true;
  skip(" ", 4);
  skip("\\\"'`fb", 5);
  for (const std::string_view scheme : {"bearer ", "basic ", "token ", "apikey ", "bot ", "key ", "negotiate ",
                                        "digest ", "splunk ", "genie", "oauth "}) {
    if (!ascii::starts_nocase(text.substr(i), scheme)) continue;
    i += scheme.size();
    skip("\\\"'` ", 4);
    break;
  }
  const auto ends_at = [&](std::size_t n) {
    return !ascii::is_word(text[n]) && !is_base64_of_key(text[n]) &&
           std::string_view("-.~:").find(text[n]) == std::string_view::npos;
  };
  const std::size_t end = ahead.end_of(LookAhead::kHeader, i, text.size(), ends_at);
  const std::string_view value = text.substr(i, end - i);
  if (value.size() < 8 || is_placeholder(value, ahead) || has_scheme(value, ahead)) return;
  const auto is_not_small = [&](std::size_t n) {
    return !ascii::is_lower(text[n]) && std::string_view("._:-").find(text[n]) == std::string_view::npos;
  };
  if (!ahead.any(LookAhead::kNotOfName, value, is_not_small)) return;
  const bool random = is_random(value, 8, ahead);
  if (!random && ahead.any(LookAhead::kDot, value, [&](std::size_t n) { return text[n] == '.'; })) return;
  if (!random && !ahead.any_digit(value)) return;
  out.push_back({i, end, "authorization"});
}

// Cookie: a=b; c=d
void find_in_cookies(std::string_view text, std::size_t at, LookAhead& ahead, std::vector<Secret>& out,
                     bool& doubtful) {
  std::size_t i = at + std::string_view("cookie").size();
  std::size_t skipped = 0;
  while (i < text.size() && skipped < 6 && (is_quote_mark(text[i]) || text[i] == '\\' || text[i] == ' '))
    ++i, ++skipped;
  if (i >= text.size() || (text[i] != ':' && text[i] != '=')) {
    // curl -b 'a=b'
    return;
  }
  ++i;
  doubtful = true;
  skipped = 0;
  while (i < text.size() && skipped < 6 && (is_quote_mark(text[i]) || text[i] == '\\' || text[i] == ' '))
    ++i, ++skipped;
  for (int pairs = 0; pairs < 40 && i < text.size(); ++pairs) {
    const std::size_t name = i;
    while (i < text.size() &&
           (ascii::is_word(text[i]) || std::string_view("-.[]%").find(text[i]) != std::string_view::npos))
      ++i;
    if (i == name || i >= text.size()) return;
    if (text[i] == ';') {  // an attribute without a value
      ++i;
    } else {
      if (text[i] != '=') return;
      const std::size_t begin = ++i;
      i = ahead.end_of(LookAhead::kCookie, begin, text.size(), [&](std::size_t n) {
        return ascii::is_space(text[n]) || text[n] == ';' || is_quote_mark(text[n]) || text[n] == '\\';
      });
      const std::string_view value = text.substr(begin, i - begin);
      if (is_random(value, 12, ahead) && !is_placeholder(value, ahead)) out.push_back({begin, i, "cookie"});
      if (i >= text.size() || text[i] != ';') return;
      ++i;
    }
    while (i < text.size() && text[i] == ' ')
      ++i;
  }
}

// curl -u user:password
void find_of_user(std::string_view text, std::size_t at, LookAhead& ahead, std::vector<Secret>& out, bool& doubtful) {
  const std::string_view reach = text.substr(at, kLongestUrl);
  const std::string_view line = reach.substr(0, reach.find('\n'));
  const std::size_t stop = at + line.size();
  for (const std::string_view flag : {" -u", " --user", " --proxy-user", " -U"}) {
    const auto found = line.find(flag);
    if (found == std::string_view::npos) continue;
    std::size_t i = at + found + flag.size();
    doubtful = true;
    while (i < stop && (text[i] == ' ' || text[i] == '='))
      ++i;
    char quote = 0;
    if (i < stop && is_quote_mark(text[i])) quote = text[i++];
    const std::size_t begin = i;
    while (i < stop && (quote != 0 ? text[i] != quote : !ascii::is_space(text[i]) && !is_quote_mark(text[i])))
      i += text[i] == '\\' && quote == 0 ? 2 : 1;
    i = std::min(i, stop);
    const std::string_view word = text.substr(begin, i - begin);
    const auto colon = word.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view password = word.substr(colon + 1);
    if (password.size() >= 3 && is_password(password, ahead) &&
        !std::all_of(password.begin(), password.end(), ascii::is_digit))
      out.push_back({begin + colon + 1, i, "password"});
    else if (password.empty() && is_random(word.substr(0, colon), 12, ahead))
      out.push_back({begin, begin + colon, "secret"});
  }
}

// The part of a piece of a key block that is of the key: the last, behind line numbers, paths and signs of comments.
std::string_view key_part(std::string_view piece) {
  std::string_view last;
  for (std::size_t i = 0; i < piece.size();) {
    std::size_t end = i;
    while (end < piece.size() && is_base64_of_key(piece[end]))
      ++end;
    if (end - i >= 4) last = piece.substr(i, end - i);
    i = end + 1;
  }
  return last;
}

// Keys are cut by line ends, written as such or as "\\n", and by the quotes and commas of arrays.
std::size_t end_of_key_piece(std::string_view text, std::size_t at, std::size_t& next) {
  for (std::size_t i = at; i < text.size(); ++i) {
    if (text[i] == '\n' || text[i] == ',' || is_quote_mark(text[i])) {
      next = i + 1;
      return i;
    }
    if (text[i] != '\\') continue;
    const std::size_t begin = i;
    while (i < text.size() && text[i] == '\\')
      ++i;
    const bool letter = i < text.size() && (text[i] == 'n' || text[i] == 'r' || text[i] == 't');
    next = letter ? i + 1 : i;
    return begin;
  }
  next = text.size();
  return text.size();
}

void find_key_block(std::string_view text, std::size_t at, std::vector<Secret>& out, bool& doubtful) {
  const std::size_t reach = std::min<std::size_t>(at, 40);
  const std::string_view before = text.substr(at - reach, reach);
  auto dashes = before.rfind("-----BEGIN ");
  // Not of the line before the end of an empty block.
  if (dashes != std::string_view::npos && before.find("-----", dashes + 11) != std::string_view::npos)
    dashes = std::string_view::npos;
  const bool putty = before.ends_with("PuTTY-User-") || text.substr(at).starts_with("Private-Lines");
  if (dashes == std::string_view::npos && !putty) return;
  std::size_t i = at + std::string_view("private key").size();
  if (!putty) {
    const auto close = text.substr(i, 20).find("-----");
    if (close == std::string_view::npos) return;
    i += close + 5;
  }
  // The next one is looked at by itself.
  text = text.substr(0, text.find("-----BEGIN ", i));
  doubtful = true;
  const std::size_t begin = putty ? i : at - reach + dashes;
  std::size_t end = i;
  std::size_t solid = 0;
  for (int others = 0; i < text.size() && others <= 3;) {
    std::size_t next = 0;
    const std::size_t stop = end_of_key_piece(text, i, next);
    const std::string_view piece = text.substr(i, stop - i);
    i = next;
    if (const auto closing = piece.find("-----END "); closing != std::string_view::npos) {
      const auto last = piece.find("-----", closing + 9);
      solid += key_part(piece.substr(0, closing)).size();
      end = last == std::string_view::npos ? stop : stop - piece.size() + last + 5;
      break;
    }
    const std::string_view part = key_part(piece);
    const bool header = piece.find("Type:") != std::string_view::npos ||
                        piece.find("DEK-Info:") != std::string_view::npos ||
                        piece.find("Version:") != std::string_view::npos;
    const bool tail =
        solid > 0 && !part.empty() && piece.ends_with(part) && !std::all_of(part.begin(), part.end(), ascii::is_lower);
    if (part.size() >= 16 || tail) {
      solid += part.size();
      end = static_cast<std::size_t>(part.data() - text.data()) + part.size();
      others = 0;
      if (piece.size() > part.size() + 120) break;  // other things stand behind it
    } else if (!part.empty() && !header) {
      ++others;
    }
  }
  if (solid < 16) return;
  out.push_back({begin, end, "private_key"});
}

constexpr std::string_view kKindOfManifest = "secret";

// kind: Secret, with the word at `at`
bool is_sign_of_manifest(std::string_view text, std::size_t at) {
  const std::size_t behind = at + kKindOfManifest.size();
  if (!ascii::starts_nocase(text.substr(at), kKindOfManifest)) return false;
  if (behind < text.size() && ascii::is_word(text[behind])) return false;
  std::size_t i = at;
  std::size_t seen = 0;
  while (i > 0 && seen < 20 && std::string_view("\\\"' :").find(text[i - 1]) != std::string_view::npos)
    --i, ++seen;
  return seen > 0 && text.substr(0, i).ends_with("kind");
}

// The document that the manifest at `at` is part of, as far as it is looked at. It ends at some other sign, which looks
// on from there: a text of nothing but signs is looked at a few times, not once for each.
std::pair<std::size_t, std::size_t> document_around(std::string_view text, std::size_t at) {
  constexpr std::size_t kReach = 16384;
  constexpr int kMostSigns = 4;  // on either side
  constexpr std::string_view kEnd = "\n---";
  std::size_t begin = at;
  int signs = 0;
  for (const std::size_t least = at > kReach ? at - kReach : 0; begin > least; --begin) {
    if (begin < at && is_sign_of_manifest(text, begin)) ++signs;
    if (signs == kMostSigns || text.substr(begin).starts_with(kEnd)) break;
  }
  std::size_t end = at + kKindOfManifest.size();
  signs = 0;
  for (const std::size_t most = std::min(text.size(), at + kReach); end < most; ++end) {
    if (is_sign_of_manifest(text, end)) ++signs;
    if (signs == kMostSigns || text.substr(end).starts_with(kEnd)) break;
  }
  return {begin, end};
}

void find_in_manifest(std::string_view text, std::size_t at, LookAhead& ahead, std::vector<Secret>& out,
                      bool& doubtful) {
  if (!is_sign_of_manifest(text, at)) return;
  doubtful = true;
  const auto [begin, end] = document_around(text, at);
  const std::string_view document = text.substr(0, end);
  const auto mask = [&](std::size_t from, std::size_t to, bool encoded) {
    const std::string_view value = text.substr(from, to - from);
    if (value.size() < 4 || is_placeholder(value, ahead)) return;
    if (encoded && !std::all_of(value.begin(), value.end(), is_base64_of_key)) return;
    if (encoded && value.size() % 4 != 0) return;
    out.push_back({from, to, "secret"});
  };
  // The values of an object that begins at `open`.
  const auto mask_object = [&](std::size_t open, std::size_t most, bool encoded) {
    const std::string_view object = text.substr(open, most - open);
    const std::size_t close = open + std::min(object.find('}'), object.size());
    bool value = false;
    for (std::size_t q = open; q < close; ++q) {
      if (text[q] == ':') value = true;
      if (text[q] != '"') continue;
      const auto last = text.find('"', q + 1);
      if (last == std::string_view::npos) break;
      if (value) mask(q + 1, last, encoded);
      value = false;
      q = last;
    }
  };
  for (const std::string_view section : {"data", "stringData"}) {
    const bool encoded = section == "data";
    std::vector<std::size_t> objects;
    std::size_t end_of_line = 0;  // of the last section of YAML; others of its line have a part of its block
    for (std::size_t p = document.find(section, begin); p < end; p = document.find(section, p + 1)) {
      if (p > 0 && ascii::is_word(text[p - 1])) continue;
      std::size_t k = p + section.size();
      const bool json = k < end && text[k] == '"';
      if (json) ++k;
      if (k >= end || text[k] != ':') continue;
      ++k;
      if (json) {
        const auto open = document.substr(0, std::min(end, k + 5)).find('{', k);
        if (open != std::string_view::npos) objects.push_back(open);
        continue;
      }
      if (p < end_of_line) continue;
      end_of_line = std::min(document.find('\n', k), end);
      const std::size_t line = document.substr(begin, p - begin).rfind('\n');
      const std::size_t indent = line == std::string_view::npos ? p - begin : p - begin - line - 1;
      bool is_public = false;  // a certificate
      for (std::size_t l = end_of_line; l < end;) {
        const std::size_t first = std::min(document.find_first_not_of(' ', l + 1), end);
        const std::size_t stop = std::min(document.find('\n', l + 1), end);
        if (first >= stop || first - l - 1 <= indent) break;
        const auto colon = document.find(": ", first);
        const auto name_end = std::min(document.find(':', first), stop);
        if (name_end < stop) {
          const std::string_view name = text.substr(first, name_end - first);
          is_public = name.ends_with("crt") || name.ends_with("ca") || name.ends_with("cert");
        }
        if (is_public) {
        } else if (colon < stop) {
          std::size_t from = colon + 2;
          std::size_t to = stop;
          while (from < to && (text[from] == ' ' || is_quote_mark(text[from])))
            ++from;
          while (to > from && (ascii::is_space(text[to - 1]) || is_quote_mark(text[to - 1])))
            --to;
          mask(from, to, encoded);
        } else if (text.substr(first, stop - first).find(':') == std::string_view::npos) {
          mask(first, stop, encoded);  // a line of a block
        }
        l = stop;
      }
    }
    // Objects may stand in each other, and not be closed.
    constexpr std::size_t kMostInside = 8;
    for (std::size_t i = 0; i < objects.size(); ++i)
      mask_object(objects[i], i + kMostInside < objects.size() ? objects[i + kMostInside] : end, encoded);
  }
}

}  // namespace

std::optional<Form> form_named(std::string_view name) {
  constexpr std::array<std::string_view, 7> kNames{"url", "header", "cookie", "user", "key_block", "manifest", "file"};
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Form>(found - kNames.begin());
}

void find_form(Form form, std::string_view text, std::size_t at, LookAhead& ahead, std::vector<Secret>& out,
               bool& doubtful) {
  switch (form) {
    case Form::url: return find_in_url(text, at, ahead, out, doubtful);
    case Form::header: return find_in_header(text, at, ahead, out, doubtful);
    case Form::cookie: return find_in_cookies(text, at, ahead, out, doubtful);
    case Form::user: return find_of_user(text, at, ahead, out, doubtful);
    case Form::key_block: return find_key_block(text, at, out, doubtful);
    case Form::manifest: return find_in_manifest(text, at, ahead, out, doubtful);
    case Form::file: break;  // SecretFinder looks at it
  }
}

}  // namespace memd::redaction
