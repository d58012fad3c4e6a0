#include "store/text/redaction/secret_finder.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/embedded.hpp"
#include "store/text/redaction/bare_token.hpp"
#include "store/text/redaction/distant_value.hpp"
#include "store/text/redaction/escaped_text.hpp"
#include "store/text/redaction/named_value.hpp"
#include "store/text/redaction/secret_file.hpp"
#include "store/text/words.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>

namespace memd::redaction {
namespace {

constexpr std::size_t kNear = 60;

// Signs of a text that is to be read otherwise (veiled_text.hpp): coded characters that tell a value or a name, signs
// that nobody sees, an option in an array of arguments, literals that are added up. In JSON strings, too.
constexpr auto kVeils = std::to_array<std::string_view>(
    {"%5fp",     "%5fk",        "%5ft",    "%5fs",       "&#95;",       "&#x5f;", "&lowbar;", "\xE2\x80\x8B",
     "\\u200b",  "\\u200c",     "\\u200d", "\\u2060",    "\\ufeff",     "\\u006", "\\u007",   "\\u005f",
     "\\u001b[", "\",\"-",      "\", \"-", "\\\",\\\"-", "\\\", \\\"-", "','-",   "', '-",    "\" + \"",
     "' + '",    "\\\" + \\\"", "\" . \"", "' . '",      "\" & \""});

// An option in an array of arguments, with another argument before it: "mysql","-p…". Its dash ends at `end`, and the
// mark before the comma is at `begin`. Not the most frequent one, "-lc" of shells.
bool is_option(std::string_view text, std::size_t begin, std::size_t end) {
  constexpr std::size_t kLongest = 64;
  const auto is_of_word = [&](char c) { return !ascii::is_space(c) && c != '\\' && c != '"' && c != '\''; };
  std::size_t i = begin;
  while (i > 0 && (text[i - 1] == '\\' || text[i - 1] == '"' || text[i - 1] == '\''))
    --i;
  const std::size_t last = i;
  while (i > 0 && last - i < kLongest && is_of_word(text[i - 1]))
    --i;
  if (i == last || i == 0 || (text[i - 1] != '"' && text[i - 1] != '\'')) return false;
  const std::string_view option = text.substr(end, kLongest);
  std::size_t length = 0;
  while (length < option.size() && is_of_word(option[length]))
    ++length;
  if (length == 0 || length == option.size() || ascii::is_space(option[length])) return false;
  const auto behind = option.find_first_not_of("\\\"'", length);
  if (behind != std::string_view::npos && option[behind] == ':') return false;  // the name of a member
  return (ascii::is_letter(option[0]) || (option[0] == '-' && ascii::is_letter(option[1]))) &&
         option.substr(0, length) != "lc" && option.substr(0, length) != "c";
}

// Sequences of terminals are everywhere: one hides something if it is in a word or near a sensitive name. Literals that
// are added up are everywhere in code: they hide something if both are parts of one word.
bool is_veil(std::string_view text, std::size_t begin, std::size_t end, std::size_t behind_name) {
  if (const std::string_view sign = text.substr(begin, end - begin);
      sign.find_first_of("+.&") != std::string_view::npos && sign.find(' ') != std::string_view::npos &&
      is_quote_mark(sign.back())) {
    const auto is_part = [](char c) {
      return ascii::is_word(c) || std::string_view("-+/=!@#$%").find(c) != std::string_view::npos;
    };
    return begin > 0 && end < text.size() && is_part(text[begin - 1]) && is_part(text[end]);
  }
  if (text[end - 1] != '[') return true;
  constexpr std::size_t kNearName = 96;
  if (behind_name > 0 && begin >= behind_name && begin - behind_name < kNearName) return true;
  if (begin == 0 || !ascii::is_alnum(text[begin - 1])) return false;
  while (end < text.size() && (ascii::is_digit(text[end]) || text[end] == ';'))
    ++end;
  if (begin > 1 && text[begin - 2] == '\\') return false;
  return end + 1 < text.size() && ascii::is_letter(text[end]) && ascii::is_alnum(text[end + 1]);
}

// Whether something is written otherwise where the value of a name begins: a wide colon, a curly quote, the sequence of
// a terminal, a coded sign.
bool has_coded_sign(std::string_view text, std::size_t at) {
  const std::string_view near = text.substr(at, 4);
  return near.starts_with('%') || near.starts_with('&') || std::any_of(near.begin(), near.end(), [](char c) {
           return c == '\xC2' || c == '\xE2' || c == '\xEF' || c == '\x1b';
         });
}

// Words in the name of a function that takes a secret.
bool tells_call(std::string_view word) {
  static constexpr std::array<std::string_view, 8> kWords{"password",    "passwd", "credential", "auth",
                                                          "credentials", "secret", "token",      "passphrase"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

SecretRule::Check check_named(std::string_view name) {
  if (name == "none") return SecretRule::Check::none;
  if (name == "digit") return SecretRule::Check::digit;
  if (name == "password") return SecretRule::Check::password;
  if (name == "chosen") return SecretRule::Check::chosen;
  if (name == "random") return SecretRule::Check::random;
  if (name == "token") return SecretRule::Check::token;
  if (name == "pair") return SecretRule::Check::pair;
  throw std::logic_error("no such check");
}

void read_line(std::string_view line, std::vector<SecretRule>& rules) {
  if (line.front() == '[') {
    if (line.back() != ']') throw std::logic_error("no ]");
    rules.emplace_back().kind = line.substr(1, line.size() - 2);
    return;
  }
  if (rules.empty()) throw std::logic_error("stands in no rule");
  SecretRule& rule = rules.back();
  const auto blank = line.find(' ');
  if (blank == std::string_view::npos) throw std::logic_error("says nothing");
  const std::string_view word = line.substr(0, blank);
  const std::string_view rest = line.substr(blank + 1);
  if (word == "find" || word == "like") {
    rule.patterns.emplace_back(rest, word == "like");
    rule.takes_argument = rule.takes_argument || rest.find("<arg>") != std::string_view::npos;
    if (!rule.patterns.back().can_be_found())
      throw std::logic_error("a pattern needs a literal of three characters, or a long run of letters and digits");
  } else if (word == "keep") {
    const SecretPattern& kept = rule.kept.emplace_back(rest, false);
    if (kept.anchor().text.empty() || kept.anchor().part + kept.anchor().offset > 0)
      throw std::logic_error("an identifier begins with three characters that are always the same");
  } else if (word == "form") {
    const auto space = rest.find(' ');
    const auto form = form_named(rest.substr(0, space));
    if (!form || space == std::string_view::npos) throw std::logic_error("no such form");
    rule.forms.emplace_back(*form, rest.substr(space + 1));
  } else if (word == "near") {
    rule.near.push_back(ascii::lowered(rest));
  } else if (word == "check") {
    rule.check = check_named(rest);
  } else if (word == "entropy") {
    rule.least_entropy = std::stod(std::string(rest));
  } else if (word == "example") {
    rule.examples.emplace_back(rest);
  } else if (word == "miss") {
    rule.misses.emplace_back(rest);
  } else {
    throw std::logic_error("begins with no known word");
  }
}

// Segments of a prefix by which tokens call themselves so: sk_live_…, acme_pat_…, key-…
constexpr std::array<std::string_view, 14> kTokenWords{"pat", "sk",  "rk",   "key",    "apikey", "secret", "token",
                                                       "tok", "tkn", "cred", "bearer", "sat",    "oauth",  "sec"};
// The same, but hashes have them in front, too.
constexpr std::array<std::string_view, 10> kHalfTokenWords{"auth", "live", "test", "prod",   "api",
                                                           "pk",   "pass", "pw",   "access", "refresh"};

bool letters_only(std::string_view segment) { return std::all_of(segment.begin(), segment.end(), ascii::is_letter); }

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& words, std::string_view segment) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view s) { return ascii::equal_nocase(segment, s); });
}

// Prefixes (not empty) of what agents and services count their records with.
bool tells_identifier(std::string_view prefix) {
  static constexpr std::array<std::string_view, 14> kEndings{
      "toolu", "tooluse", "msg", "req", "call", "resp", "id", "sha", "sha256", "sha512", "sha1", "rs", "fc", "env"};
  return std::any_of(kEndings.begin(), kEndings.end(),
                     [&](std::string_view s) { return prefix.back() == s.back() && prefix.ends_with(s); });
}

std::string decoded_base64(std::string_view v) {
  std::string out;
  each_base64_byte(v, [&](char byte) {
    out += byte;
    return true;
  });
  return out;
}

// Whether the first characters of Base64 encode a text.
bool is_base64_text(std::string_view v) {
  return each_base64_byte(v, [](char byte) { return (byte >= ' ' && byte != 0x7F) || ascii::is_space(byte); });
}

// Returns the number of letters and digits after text[at] that belong to the escape sequence at `at`, which ends at or
// before `end`.
std::size_t escape_before(std::string_view text, std::size_t at, std::size_t end) {
  if (text[at] != '\\') return 0;
  const std::string_view sequence = text.substr(at, end - at);
  if (escaped_code_unit(sequence) >= 0) return escape_length(sequence) - 1;
  return sequence.size() > 1 && std::string_view("nrtbf").find(sequence[1]) != std::string_view::npos ? 1 : 0;
}

}  // namespace

std::vector<SecretRule> read_secret_rules(std::span<const std::string_view> files) {
  std::vector<SecretRule> rules;
  for (std::string_view file : files) {
    std::size_t number = 0;
    while (!file.empty()) {
      const std::string_view line = ascii::trimmed(ascii::take_until(file, '\n'));
      ++number;
      if (line.empty() || line.front() == '#') continue;
      try {
        read_line(line, rules);
      } catch (const std::logic_error& e) {
        throw std::logic_error("rules of secrets, line " + std::to_string(number) + ": " + e.what());
      }
    }
  }
  return rules;
}

SecretFinder::SecretFinder(std::vector<SecretRule> rules, LiteralSieve::Form sieve_form) : rules_(std::move(rules)) {
  for (std::uint32_t r = 0; r < rules_.size(); ++r) {
    identifiers_.insert(identifiers_.end(), rules_[r].kept.begin(), rules_[r].kept.end());
    for (std::uint32_t p = 0; p < rules_[r].patterns.size(); ++p) {
      const SecretPattern& pattern = rules_[r].patterns[p];
      if (pattern.anchor().is_run) {
        add_run(pattern.run(), r, p);
      } else {
        add({pattern.anchor().text, pattern.any_case()}, {Sign::What::pattern, r, p, {}});
      }
    }
    for (const auto& [form, literal] : rules_[r].forms)
      add({ascii::lowered(literal), true}, {Sign::What::form, r, 0, form});
  }
  std::vector<std::string> known;
  for (const WordClass of :
       {WordClass::password_name, WordClass::short_password_name, WordClass::key_name, WordClass::maybe_key_name,
        WordClass::phrase_name, WordClass::pin_name, WordClass::card_name})
    for (const std::string& word : words(of)) {
      std::string last = word.substr(word.rfind('-') + 1);
      if (std::find(known.begin(), known.end(), last) != known.end()) continue;
      known.push_back(last);
      const bool of_call = tells_call(last);
      add({std::move(last), true}, {Sign::What::name, 0, 0, {}, of_call});
    }
  for (const std::string& word : words(WordClass::query_key_name))
    if (std::find(known.begin(), known.end(), word) == known.end())
      add({word + "=", true}, {Sign::What::query_name, 0, 0, {}});
  add({"private", true}, {Sign::What::private_mark, 0, 0, {}});
  for (const std::string_view veil : kVeils)
    add({std::string(veil), true}, {Sign::What::veil, 0, 0, {}});
  // Names, forms and veils; patterns.
  for (const bool of_patterns : {false, true}) {
    std::vector<LiteralScan::Literal> some;
    std::vector<std::size_t> indices;
    for (std::size_t l = 0; l < literals_.size(); ++l) {
      const bool only_patterns = std::all_of(signs_[l].begin(), signs_[l].end(),
                                             [](const Sign& sign) { return sign.what == Sign::What::pattern; });
      if (only_patterns != of_patterns) continue;
      some.push_back(literals_[l]);
      indices.push_back(l);
    }
    scans_.push_back({LiteralScan(std::move(some), sieve_form), std::move(indices)});
  }
}

void SecretFinder::add_run(const SecretPattern::Run& run, std::uint32_t rule, std::uint32_t pattern) {
  if (of_runs_.size() == kMostRunSigns) throw std::logic_error("too many patterns begin with a long run");
  const std::uint64_t bit = std::uint64_t{1} << of_runs_.size();
  of_runs_.push_back({run.least, rule, pattern});
  for (std::size_t byte = 0; byte < first_of_run_.size(); ++byte) {
    const auto fits = [&](const std::optional<char>& c) { return !c || static_cast<unsigned char>(*c) == byte; };
    if (run.first.test(byte)) first_of_run_[byte] |= bit;
    if (fits(run.before)) before_run_[byte] |= bit;
    if (fits(run.behind)) behind_run_[byte] |= bit;
  }
}

void SecretFinder::add(LiteralScan::Literal literal, Sign sign) {
  const auto same = [&](const LiteralScan::Literal& l) {
    return l.text == literal.text && l.any_case == literal.any_case;
  };
  const auto found = std::find_if(literals_.begin(), literals_.end(), same);
  if (found != literals_.end()) {
    signs_[static_cast<std::size_t>(found - literals_.begin())].push_back(sign);
    return;
  }
  literals_.push_back(std::move(literal));
  signs_.push_back({sign});
}

namespace {

// -method=userpass
bool is_option_name(std::string_view value, LookAhead& ahead) {
  return value.starts_with('-') && (value.size() < 3 || value[1] == '-' || ahead.wordiness(value) > 0.5);
}

}  // namespace

bool SecretFinder::fits(const SecretRule& rule, std::string_view text, const Secret& secret, LookAhead& ahead) const {
  const std::string_view value = text.substr(secret.begin, secret.end - secret.begin);
  if (!rule.near.empty()) {
    const std::size_t from = secret.begin - std::min(secret.begin, kNear);
    const std::string_view before = text.substr(from, secret.begin - from);
    if (std::none_of(rule.near.begin(), rule.near.end(), [&](const std::string& w) { return has_nocase(before, w); }))
      return false;
  }
  if (text.substr(0, secret.begin).ends_with("[redacted:")) return false;  // the kind in a mask
  if (rule.takes_argument && is_option_name(value, ahead)) return false;
  if (rule.least_entropy > 0 && ahead.entropy(value) < rule.least_entropy) return false;
  switch (rule.check) {
    case SecretRule::Check::none: return true;
    case SecretRule::Check::digit: return ahead.any_digit(value);
    case SecretRule::Check::password: return is_password(value, ahead);
    case SecretRule::Check::chosen: return is_chosen_password(value, ahead);
    case SecretRule::Check::random: return is_random(value, 8, ahead) && !is_placeholder(value, ahead);
    case SecretRule::Check::token: return is_token_like(value, 8, ahead) && !is_placeholder(value, ahead);
    case SecretRule::Check::pair: return is_encoded_pair(value);
  }
  return true;
}

void SecretFinder::at_literal(std::string_view text, std::size_t begin, std::size_t literal, LookAhead& ahead,
                              std::vector<Secret>& out, Signs& signs) const {
  const std::size_t end = begin + literals_[literal].text.size();
  bool doubtful = false;
  bool is_long = false;
  bool is_veiled = false;
  bool in_array = false;
  for (const Sign& sign : signs_[literal])
    switch (sign.what) {
      case Sign::What::pattern: {
        const SecretRule& rule = rules_[sign.rule];
        const SecretPattern& pattern = rule.patterns[sign.pattern];
        auto found = pattern.match(text, begin, 0, ahead);
        if (found && fits(rule, text, *found, ahead)) {
          found->kind = rule.kind;
          out.push_back(*found);
        } else if (pattern.may_be_escaped(text, begin)) {
          doubtful = true;
        }
        break;
      }
      case Sign::What::form: {
        if (sign.form == Form::file) {
          if (opens_secret_file(text, begin, end - begin)) signs.of_file = std::min(signs.of_file, begin);
          break;
        }
        const std::size_t before = out.size();
        bool form_is_doubtful = false;
        find_form(sign.form, text, begin, ahead, out, form_is_doubtful);
        doubtful = doubtful || form_is_doubtful;
        // Other signs share the literal, and what they are in doubt of is short.
        is_long = is_long || (form_is_doubtful && (sign.form == Form::key_block || sign.form == Form::manifest));
        for (std::size_t i = before; i < out.size(); ++i)
          if (out[i].kind.empty()) out[i].kind = rules_[sign.rule].kind;
        break;
      }
      case Sign::What::name:
      case Sign::What::query_name: {
        const SensitiveName name = sensitive_name_at(text, begin, end - (sign.what == Sign::What::query_name ? 1 : 0));
        if (end < text.size() && (text[end] == '(' || ascii::is_word(text[end])) && sign.tells_call)
          find_in_call(text, end, ahead, out);
        if (name.value_kind == ValueKind::none) break;
        signs.behind_name = name.end;
        is_veiled = is_veiled || has_coded_sign(text, name.end);
        const Secret s = named_value(text, name, ahead, doubtful);
        if (!s && sign.what == Sign::What::name) {
          const std::size_t before = out.size();
          find_distant_values(text, name, ahead, out, doubtful);
          if (out.size() == before) find_near_name(text, name, ahead, out);
        }
        // Names such as "messageKey" are of identifiers, too.
        if (s && !(name.value_kind == ValueKind::maybe_key && identifier_at(text, s.begin, ahead) == s.end))
          out.push_back(s);
        break;
      }
      case Sign::What::private_mark: signs.may_be_private = true; break;
      case Sign::What::veil:
        if (text[end - 1] == '-')
          in_array = in_array || is_option(text, begin, end);
        else
          is_veiled = is_veiled || is_veil(text, begin, end, signs.behind_name);
        break;
    }
  if (doubtful || is_veiled || in_array) signs.doubts.push_back({begin, is_long, is_veiled, in_array});
}

std::size_t SecretFinder::identifier_at(std::string_view text, std::size_t at, LookAhead& ahead) const {
  for (const SecretPattern& kept : identifiers_) {
    if (!text.substr(at).starts_with(kept.anchor().text)) continue;
    const auto found = kept.match(text, at, at, ahead);
    if (found && (found->end == text.size() || !ascii::is_alnum(text[found->end]))) return found->end;
  }
  return at;
}

// Base64 of a text with a secret: an encoded file of settings.
bool SecretFinder::find_in_base64(std::string_view text, std::size_t begin, std::size_t end, LookAhead& ahead,
                                  std::vector<Secret>& out, Signs& signs) const {
  constexpr std::size_t kLongest = 65'536;
  constexpr std::size_t kBegin = 24;
  constexpr int kDeepestCode = 2;
  if (begin < signs.base64_end) return true;
  if (signs.depth == kDeepestCode) return false;
  if (end - begin < kBegin && (end == text.size() || (text[end] != '+' && text[end] != '/'))) return false;
  // Most runs are in no text's code, wherever that begins.
  const char before = begin > 0 ? text[begin - 1] : ' ';
  if (before == '_' || before == '-' || before == '.') return false;
  const bool is_inside = before == '+' || before == '/';
  const std::string_view some = text.substr(begin, 12);
  if (!is_base64_text(some) && (!is_inside || (!is_base64_text(some.substr(1)) && !is_base64_text(some.substr(2)) &&
                                               !is_base64_text(some.substr(3)))))
    return false;
  const auto ends_at = [&](std::size_t i) { return base64_digit(text[i]) < 0; };
  // What is longer is looked into part by part; a part begins where four characters do.
  const std::size_t least = std::max(signs.base64_end, begin - std::min(begin, kLongest));
  const std::size_t first = ahead.begin_of(LookAhead::kBase64, begin, least, ends_at);
  if (first + kBegin > text.size() || !is_base64_text(text.substr(first, kBegin))) return false;
  bool is_secret = false;
  std::size_t last = first;
  while (last < end) {
    const std::size_t part = last;
    const std::size_t most = std::min(text.size(), part + kLongest);
    last = most <= end ? most : ahead.end_of(LookAhead::kBase64, end, most, ends_at);
    std::vector<Secret> found;
    Signs inner_signs;
    inner_signs.depth = signs.depth + 1;
    find(decoded_base64(text.substr(part, last - part)), found, inner_signs);
    const auto secret = std::find_if(found.begin(), found.end(), [](const Secret& s) { return bool(s); });
    if (secret == found.end()) continue;
    std::size_t padded = last;
    while (padded < text.size() && text[padded] == '=' && padded - last < 2)
      ++padded;
    out.push_back({part, padded, secret->kind});
    is_secret = true;
  }
  signs.base64_end = last;
  return is_secret;
}

// Patterns that begin with a long run.
void SecretFinder::match_runs(std::string_view text, std::size_t begin, std::size_t end, LookAhead& ahead,
                              std::vector<Secret>& out) const {
  const auto at = [&](const SignsOfByte& signs, std::size_t i) {
    return signs[i < text.size() ? static_cast<unsigned char>(text[i]) : 0];
  };
  for (std::uint64_t may_be = at(first_of_run_, begin) & at(before_run_, begin - 1) & at(behind_run_, end); may_be != 0;
       may_be &= may_be - 1) {
    const RunSign& sign = of_runs_[static_cast<std::size_t>(std::countr_zero(may_be))];
    if (end - begin < sign.least) continue;
    const SecretRule& rule = rules_[sign.rule];
    auto found = rule.patterns[sign.pattern].match(text, begin, 0, ahead);
    if (!found || !fits(rule, text, *found, ahead)) continue;
    found->kind = rule.kind;
    out.push_back(*found);
  }
}

// A token that names itself, as many services write them: a prefix of small words, and random letters and digits.
void SecretFinder::in_long_run(std::string_view text, std::size_t begin, std::size_t end, LookAhead& ahead,
                               std::vector<Secret>& out, Signs& signs) const {
  match_runs(text, begin, end, ahead, out);
  if (find_in_base64(text, begin, end, ahead, out, signs)) return;
  find_bare_token(text, begin, end, ahead, out);
  const auto joins = [](char c) { return c == '_' || c == '-' || c == '.'; };
  if (begin < 3 || !joins(text[begin - 1])) return;
  std::size_t first = begin;
  bool is_behind_escape = false;
  bool tells = false;
  bool half_tells = false;
  std::string_view last;
  for (std::size_t at = begin; at > 0 && joins(text[at - 1]) && begin - first < 32;) {
    std::size_t from = at - 1;
    while (from > 0 && ascii::is_alnum(text[from - 1]) && at - from < 16)
      --from;
    const std::size_t escape = from > 0 ? escape_before(text, from - 1, at - 1) : 0;
    is_behind_escape = escape > 0;
    from += escape;
    const std::string_view segment = text.substr(from, at - 1 - from);
    if (segment.empty() || (last.empty() && tells_identifier(segment)) ||
        (segment.size() > 6 && is_random(segment, 7, ahead)))
      return;
    tells = tells || is_one_of(kTokenWords, segment);
    half_tells = half_tells || is_one_of(kHalfTokenWords, segment);
    if (last.empty()) last = segment;
    first = from;
    at = from;
  }
  if (last.empty() || first == begin) return;
  if (text[begin - 1] == '.' && !tells && !half_tells) return;  // a member
  // In the middle of something longer, as Base64 of a URL is; a directory may have the name of a token.
  const bool is_directory = first > 0 && text[first - 1] == '/' && tells && letters_only(last);
  if (first > 0 && !is_behind_escape && !is_directory &&
      (ascii::is_word(text[first - 1]) || std::string_view("-./+=").find(text[first - 1]) != std::string_view::npos))
    return;
  const std::string_view run = text.substr(begin, end - begin);
  const bool is_hash = std::all_of(run.begin(), run.end(), ascii::is_hex);
  while (end < text.size() && (ascii::is_alnum(text[end]) || text[end] == '_' || text[end] == '-'))
    ++end;
  if (end < text.size() &&
      (text[end] == '+' || (text[end] == '/' && !is_directory) || text[end] == '.' || text[end] == '('))
    return;
  const std::string_view body = text.substr(begin, end - begin);
  if (body.size() > 200) return;
  const auto digits = std::count_if(body.begin(), body.end(), ascii::is_digit);
  const bool both_cases =
      std::any_of(body.begin(), body.end(), ascii::is_upper) && std::any_of(body.begin(), body.end(), ascii::is_lower);
  const bool mixed = (both_cases && digits >= 2) || (body.size() >= 32 && digits >= 4 && !is_hash);
  const bool letters_in_front = std::all_of(last.begin(), last.end(), ascii::is_alnum) && ascii::is_letter(text[first]);
  if (!letters_in_front || !(tells || mixed || (half_tells && !is_hash))) return;
  if (!is_random(body, kLongRun, ahead) || ahead.wordiness(body) > 0.42) return;
  // "id": "<prefix>_…" counts something.
  std::size_t back = first;
  while (back > 0 && first - back < 16 && std::string_view("\\\"': =").find(text[back - 1]) != std::string_view::npos)
    --back;
  const std::string_view before = text.substr(0, back);
  for (const std::string_view id : {"id", "ID", "Id", "uuid", "ref", "hash", "sha", "signature"})
    if (back < first && before.ends_with(id) &&
        (before.size() == id.size() || !ascii::is_lower(before[before.size() - id.size() - 1]) ||
         !ascii::is_lower(id[0])))
      return;
  for (std::size_t at = first; at < begin; ++at) {
    if (at > first && !joins(text[at - 1])) continue;
    const std::size_t kept = identifier_at(text, at, ahead);
    if (kept > begin && !is_random(text.substr(kept, end - kept), 8, ahead)) return;
  }
  out.push_back({first, end, "token"});
}

void SecretFinder::find(std::string_view text, std::vector<Secret>& out, Signs& signs) const {
  LookAhead ahead(text);
  for (const Scan& scan : scans_)
    scan.scan.each(text, [&](std::size_t begin, std::size_t literal) {
      at_literal(text, begin, scan.literals[literal], ahead, out, signs);
    });
  each_long_run<kShortRun>(text, [&](std::size_t begin, std::size_t end) {
    if (end - begin >= kLongRun) in_long_run(text, begin, end, ahead, out, signs);
    if (may_be_lone_word(text, begin, end)) find_lone_word(text, begin, end, ahead, out);
  });
  // Of JSON, only some strings are what the file contains (redactor.cpp).
  if (signs.of_file != std::string_view::npos && !text.starts_with('{') && !text.starts_with('[')) {
    constexpr std::size_t kReach = 8192;
    const std::size_t behind = out.size();
    LookAhead of_rest(text.substr(signs.of_file, kReach));
    find_in_secret_file(of_rest.text(), of_rest, out);
    for (std::size_t i = behind; i < out.size(); ++i)
      out[i].begin += signs.of_file, out[i].end += signs.of_file;
  }
  signs.looked_at += ahead.looked_at();
}

const SecretFinder& secret_finder() {
  static const SecretFinder kFinder([] {
    std::vector<std::string_view> files;
    for (const auto& file : embedded::secret_rules())
      files.push_back(file.text);
    return read_secret_rules(files);
  }());
  return kFinder;
}

}  // namespace memd::redaction
