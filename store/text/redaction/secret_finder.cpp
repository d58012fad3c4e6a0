#include "store/text/redaction/secret_finder.hpp"

#include "schemas/ascii.hpp"
#include "schemas/embedded.hpp"
#include "store/text/redaction/escaped_text.hpp"
#include "store/text/redaction/named_value.hpp"
#include "store/text/words.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace memd::redaction {
namespace {

constexpr std::size_t kNear = 60;

SecretRule::Check check_named(std::string_view name) {
  if (name == "none") return SecretRule::Check::none;
  if (name == "digit") return SecretRule::Check::digit;
  if (name == "password") return SecretRule::Check::password;
  if (name == "chosen") return SecretRule::Check::chosen;
  if (name == "random") return SecretRule::Check::random;
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

bool has_nocase(std::string_view text, std::string_view small_word) {
  return std::search(text.begin(), text.end(), small_word.begin(), small_word.end(),
                     [](char a, char b) { return ascii::lower(a) == b; }) != text.end();
}

// Segments of a prefix by which tokens call themselves so: sk_live_…, acme_pat_…, key-…
constexpr std::array<std::string_view, 14> kTokenWords{"pat", "sk",  "rk",   "key",    "apikey", "secret", "token",
                                                       "tok", "tkn", "cred", "bearer", "sat",    "oauth",  "sec"};
// The same, but hashes have them in front, too.
constexpr std::array<std::string_view, 10> kHalfTokenWords{"auth", "live", "test", "prod",   "api",
                                                           "pk",   "pass", "pw",   "access", "refresh"};

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& words, std::string_view segment) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view s) { return ascii::equal_nocase(segment, s); });
}

// Prefixes of what agents and services count their records with.
bool tells_identifier(std::string_view prefix) {
  static constexpr std::array<std::string_view, 14> kEndings{
      "toolu", "tooluse", "msg", "req", "call", "resp", "id", "sha", "sha256", "sha512", "sha1", "rs", "fc", "env"};
  return std::any_of(kEndings.begin(), kEndings.end(), [&](std::string_view s) { return prefix.ends_with(s); });
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
  for (const std::string_view file : files) {
    std::size_t number = 0;
    for (std::size_t at = 0; at < file.size();) {
      const std::size_t end = std::min(file.find('\n', at), file.size());
      const std::string_view line = ascii::trimmed(file.substr(at, end - at));
      at = end + 1;
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
      if (pattern.anchor().is_run)
        of_runs_.push_back({pattern.run(), r, p});
      else
        add({pattern.anchor().text, pattern.any_case()}, {Sign::What::pattern, r, p, {}});
    }
    for (const auto& [form, literal] : rules_[r].forms)
      add({ascii::lowered(literal), true}, {Sign::What::form, r, 0, form});
  }
  std::vector<std::string> known;
  for (const WordClass of :
       {WordClass::password_name, WordClass::short_password_name, WordClass::key_name, WordClass::maybe_key_name})
    for (const std::string& word : words(of)) {
      std::string last = word.substr(word.rfind('-') + 1);
      if (std::find(known.begin(), known.end(), last) != known.end()) continue;
      known.push_back(last);
      add({std::move(last), true}, {Sign::What::name, 0, 0, {}});
    }
  for (const std::string& word : words(WordClass::query_key_name))
    if (std::find(known.begin(), known.end(), word) == known.end())
      add({word + "=", true}, {Sign::What::query_name, 0, 0, {}});
  add({"private", true}, {Sign::What::private_mark, 0, 0, {}});
  scan_.emplace(literals_, sieve_form);
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

bool SecretFinder::fits(const SecretRule& rule, std::string_view text, const Secret& secret, LookAhead& ahead) const {
  const std::string_view value = text.substr(secret.begin, secret.end - secret.begin);
  if (!rule.near.empty()) {
    const std::size_t from = secret.begin - std::min(secret.begin, kNear);
    const std::string_view before = text.substr(from, secret.begin - from);
    if (std::none_of(rule.near.begin(), rule.near.end(), [&](const std::string& w) { return has_nocase(before, w); }))
      return false;
  }
  if (rule.least_entropy > 0 && ahead.entropy(value) < rule.least_entropy) return false;
  switch (rule.check) {
    case SecretRule::Check::none: return true;
    case SecretRule::Check::digit: return ahead.any_digit(value);
    case SecretRule::Check::password: return is_password(value, ahead);
    case SecretRule::Check::chosen: return is_chosen_password(value, ahead);
    case SecretRule::Check::random: return is_random(value, 8, ahead) && !is_placeholder(value, ahead);
    case SecretRule::Check::pair: return is_encoded_pair(value);
  }
  return true;
}

void SecretFinder::at_literal(std::string_view text, std::size_t begin, std::size_t literal, LookAhead& ahead,
                              std::vector<Secret>& out, Signs& signs) const {
  const std::size_t end = begin + literals_[literal].text.size();
  bool doubtful = false;
  bool is_long = false;
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
        const Secret s = named_value(text, name, ahead, doubtful);
        // Names such as "messageKey" are of identifiers, too.
        if (s && !(name.value_kind == ValueKind::maybe_key && identifier_at(text, s.begin, ahead) == s.end))
          out.push_back(s);
        break;
      }
      case Sign::What::private_mark: signs.may_be_private = true; break;
    }
  if (doubtful) signs.doubts.push_back({begin, is_long});
}

std::size_t SecretFinder::identifier_at(std::string_view text, std::size_t at, LookAhead& ahead) const {
  for (const SecretPattern& kept : identifiers_) {
    if (!text.substr(at).starts_with(kept.anchor().text)) continue;
    const auto found = kept.match(text, at, at, ahead);
    if (found && (found->end == text.size() || !ascii::is_alnum(text[found->end]))) return found->end;
  }
  return at;
}

// A token that names itself, as many services write them: a prefix of small words, and random letters and digits.
void SecretFinder::in_long_run(std::string_view text, std::size_t begin, std::size_t end, LookAhead& ahead,
                               std::vector<Secret>& out) const {
  for (const RunSign& sign : of_runs_) {
    if (!sign.run.may_be(text, begin, end)) continue;
    const SecretRule& rule = rules_[sign.rule];
    auto found = rule.patterns[sign.pattern].match(text, begin, 0, ahead);
    if (!found || !fits(rule, text, *found, ahead)) continue;
    found->kind = rule.kind;
    out.push_back(*found);
  }
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
    if (segment.empty() || (segment.size() > 6 && is_random(segment, 7, ahead))) return;
    tells = tells || is_one_of(kTokenWords, segment);
    half_tells = half_tells || is_one_of(kHalfTokenWords, segment);
    if (last.empty()) last = segment;
    first = from;
    at = from;
  }
  if (last.empty() || tells_identifier(last) || first == begin) return;
  if (text[begin - 1] == '.' && !tells && !half_tells) return;  // a member
  // In the middle of something longer, as Base64 of a URL is.
  if (first > 0 && !is_behind_escape &&
      (ascii::is_word(text[first - 1]) || std::string_view("-./+=").find(text[first - 1]) != std::string_view::npos))
    return;
  const std::string_view run = text.substr(begin, end - begin);
  const bool is_hash = std::all_of(run.begin(), run.end(), ascii::is_hex);
  while (end < text.size() && (ascii::is_alnum(text[end]) || text[end] == '_' || text[end] == '-'))
    ++end;
  if (end < text.size() && (text[end] == '+' || text[end] == '/' || text[end] == '.' || text[end] == '(')) return;
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
    if (back < first && before.ends_with(id)) return;
  for (std::size_t at = first; at < begin; ++at) {
    if (at > first && !joins(text[at - 1])) continue;
    const std::size_t kept = identifier_at(text, at, ahead);
    if (kept > begin && !is_random(text.substr(kept, end - kept), 8, ahead)) return;
  }
  out.push_back({first, end, "token"});
}

void SecretFinder::find(std::string_view text, std::vector<Secret>& out, Signs& signs) const {
  LookAhead ahead(text);
  scan_->each(text,
              [&](std::size_t begin, std::size_t literal) { at_literal(text, begin, literal, ahead, out, signs); });
  each_long_run<kLongRun>(text, [&](std::size_t begin, std::size_t end) { in_long_run(text, begin, end, ahead, out); });
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
