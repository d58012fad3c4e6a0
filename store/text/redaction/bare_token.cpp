#include "store/text/redaction/bare_token.hpp"

#include "schemas/base/ascii.hpp"
#include "store/text/redaction/named_value.hpp"
#include "store/text/words.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>

namespace memd::redaction {
namespace {

constexpr std::size_t kLongestToken = 128;
constexpr std::size_t kLongestBareName = 48;

constexpr auto kOfToken = [] {
  std::array<bool, 256> out{};
  for (std::size_t byte = 0; byte < out.size(); ++byte) {
    const char c = static_cast<char>(byte);
    out[byte] = ascii::is_alnum(c) || c == '_' || c == '-' || c == '+' || c == '/' || c == '=';
  }
  return out;
}();
bool is_of_token(char c) { return kOfToken[static_cast<unsigned char>(c)]; }
bool is_of_name(char c) { return ascii::is_word(c) || c == '-' || c == '.'; }

// The words of a name: "mixpanelProjectToken" and "x-api-key" have three.
template <class F>
void each_word(std::string_view name, F&& found) {
  for (std::size_t i = 0; i < name.size();) {
    if (!ascii::is_alnum(name[i])) {
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    while (end < name.size() && ascii::is_alnum(name[end]) &&
           !(ascii::is_upper(name[end]) && ascii::is_lower(name[end - 1])))
      ++end;
    found(ascii::lowered(name.substr(i, end - i)));
    i = end;
  }
}

bool tells_service(std::string_view name) {
  const WordList& services = words(WordClass::service_name);
  bool out = false;
  std::string before;
  each_word(name, [&](const std::string& word) {
    out = out || services.has(word) || (!before.empty() && services.has(before + word));
    before = word;
  });
  return out;
}

// Whether the last word of a name, or it with the one before, is harmless. Digits behind it do not count.
bool ends_harmless(std::string_view name, WordClass of) {
  std::array<char, kLongestBareName> small{};  // the words, without what stands between them
  std::size_t size = 0;
  std::size_t last = 0;     // where the last word begins
  std::size_t but_one = 0;  // and the one before
  for (std::size_t i = 0; i < name.size() && size < small.size(); ++i) {
    if (!ascii::is_alnum(name[i])) continue;
    const bool begins =
        i == 0 || !ascii::is_alnum(name[i - 1]) || (ascii::is_upper(name[i]) && ascii::is_lower(name[i - 1]));
    if (begins) but_one = last, last = size;
    small[size++] = ascii::lower(name[i]);
  }
  const std::string_view all = std::string_view(small.data(), size).substr(but_one);
  std::string_view word = std::string_view(small.data(), size).substr(last);
  while (!word.empty() && ascii::is_digit(word.back()))
    word.remove_suffix(1);
  return word.empty() || words(of).has(word) || words(of).has(all);
}

bool has_two_digits(std::string_view run) {
  bool has_one = false;
  for (std::size_t i = 0; i < run.size(); i += sizeof kOfLetters) {
    std::uint64_t bytes = kOfLetters;
    std::memcpy(&bytes, run.data() + i, std::min(run.size() - i, sizeof bytes));
    const std::uint64_t digits = ~bytes & kOfLetters;
    if (digits == 0) continue;
    if (has_one || (digits & (digits - 1)) != 0) return true;
    has_one = true;
  }
  return false;
}

class BareToken {
 public:
  BareToken(std::string_view text, std::size_t begin, std::size_t end, LookAhead& ahead)
      : text_(text), begin_(begin), end_(end), ahead_(ahead) {}

  bool is_secret() {
    if (end_ - begin_ > kLongestToken) return false;
    // Names of code have few digits.
    if (!has_two_digits(text_.substr(begin_, end_ - begin_)) || !extend()) return false;
    std::size_t i = begin_;
    const bool is_quoted = i > 0 && is_quote_mark(text_[i - 1]);
    if (is_quoted) {
      if (end_ >= text_.size() || (text_[end_] != text_[i - 1] && text_[end_] != '\\')) return false;
      --i;
      while (i > 0 && text_[i - 1] == '\\')
        --i;
      // b"…"
      if (i > 1 && std::string_view("b@r").find(text_[i - 1]) != std::string_view::npos &&
          !ascii::is_word(text_[i - 2]))
        --i;
    }
    const std::size_t near = i;
    while (i > 0 && text_[i - 1] == ' ' && near - i < 24)
      --i;
    if (i == 0) return is_whole_word() && is_strong();
    switch (text_[i - 1]) {
      case '(': return is_quoted && is_argument(i - 1);
      case ',': return is_quoted && is_later_argument(i - 1);
      case '=':
      case ':': return is_assigned(i - 1, is_quoted);
      case '>':  // =>
        if (i > 1 && text_[i - 2] == '=' && !name_before(i - 2).empty()) return is_assigned(i - 2, is_quoted);
        [[fallthrough]];
      default: return is_whole_word() && is_strong();
    }
  }

  // Whether the run is a word by itself, random as passwords are that programs make: `ada:…`, `-x …`, a line of it.
  bool is_lone_word() {
    // The n of "\n…" belongs to the escape sequence.
    if (begin_ > 0 && text_[begin_ - 1] == '\\' &&
        std::string_view("nrtbf").find(text_[begin_]) != std::string_view::npos)
      ++begin_;
    const std::string_view v = value();
    if (v.size() > kLongestToken || !is_token_like(v, kShortRun, ahead_) || ahead_.entropy(v) <= 3) return false;
    const Shape s = ahead_.shape_of(v);
    if (s.digits * 2 > v.size() || is_drawing(v) || (s.digit_runs < 2 && ahead_.wordiness(v) >= 0.3)) return false;
    // A number with its type, a digest and what follows it, Base64 of a text.
    constexpr std::size_t kDigest = 8;
    if (v.starts_with("0x") || is_small_hex(v.substr(0, kDigest)) || is_small_hex(v.substr(1, kDigest)) ||
        (v.size() % 4 == 0 && each_base64_byte(v, [](char c) { return c >= ' ' && c < 0x7F; })))
      return false;
    return !is_named_harmless() && !is_placeholder(v, ahead_) && !is_line_of_data() && !is_of_block();
  }

  Secret secret() const { return {begin_, end_, "token"}; }

 private:
  // A path of SVG: "6h8v1H4V6zm8"
  static bool is_drawing(std::string_view v) {
    return v.find_first_not_of("0123456789MmLlHhVvCcSsQqTtAaZz") == std::string_view::npos;
  }
  static bool is_small_hex(std::string_view v) {
    return std::all_of(v.begin(), v.end(), [](char c) { return ascii::is_hex(c) && !ascii::is_upper(c); });
  }
  // Whether the name or the call in front says that this is no secret, or it is one of several in an array.
  bool is_named_harmless() const {
    std::size_t i = begin_;
    while (i > 0 && (is_quote_mark(text_[i - 1]) || text_[i - 1] == '\\'))
      --i;
    const bool is_quoted = i < begin_;
    while (i > 0 && text_[i - 1] == ' ' && begin_ - i < 24)
      --i;
    if (i == 0) return false;
    const char sign = text_[i - 1];
    if (is_quoted && (sign == ',' || sign == '[')) return true;
    if (sign == '(') return ends_harmless(name_before(i - 1), WordClass::harmless_call);
    return (sign == '=' || sign == ':') && name_before(i - 1).size() > 1 &&
           ends_harmless(name_before(i - 1), WordClass::harmless_key_name);
  }

  // From the run to the token. Returns false if that is too long or part of something else.
  bool extend() {
    const std::size_t least = begin_ - std::min(begin_, kLongestToken);
    const auto ends_at = [&](std::size_t i) { return !is_of_token(text_[i]); };
    const std::size_t first = ahead_.begin_of(LookAhead::kBare, begin_, least, ends_at);
    if (first == least && least > 0) return false;
    const std::size_t most = std::min(text_.size(), first + kLongestToken + 1);
    if (end_ > most) return false;
    end_ = ahead_.end_of(LookAhead::kBare, end_, most, ends_at);
    begin_ = first;
    if (end_ - begin_ > kLongestToken) return false;
    // key=value
    const std::string_view all = text_.substr(begin_, end_ - begin_);
    std::size_t equals = all.find_last_not_of('=');
    equals = equals == std::string_view::npos ? equals : all.rfind('=', equals);
    if (equals != std::string_view::npos) begin_ += equals + 1;
    if (begin_ == end_) return false;
    const std::string_view value = text_.substr(begin_, end_ - begin_);
    // A digest, as of an integrity check.
    for (const std::string_view digest : {"sha1-", "sha256-", "sha384-", "sha512-", "md5-"})
      if (value.starts_with(digest)) return false;
    // A path, an option, a chain of words.
    if (value.front() == '/' || value.front() == '-' || value.front() == '+') return false;
    const auto slashes = std::count(value.begin(), value.end(), '/');
    if (slashes > 0 && (ahead_.wordiness(value) > 0.3 || value.size() < 40)) return false;
    const char behind = end_ < text_.size() ? text_[end_] : ' ';
    return behind != '(' && behind != '@' && behind != '%' && behind != '.' &&
           (begin_ == 0 || !is_joined(text_[begin_ - 1]));
  }
  static bool is_joined(char c) {
    return c == '.' || c == '@' || c == '%' || c == '#' || c == '$' || c == '&' || c == '?' || c == '~' ||
           ascii::is_non_ascii(c);
  }

  std::string_view name_before(std::size_t end) const {
    while (end > 0 && (text_[end - 1] == ' ' || text_[end - 1] == ':' || text_[end - 1] == '?'))
      --end;
    while (end > 0 && (is_quote_mark(text_[end - 1]) || text_[end - 1] == '\\' || text_[end - 1] == ']'))
      --end;
    std::size_t begin = end;
    while (begin > 0 && end - begin < kLongestBareName && is_of_name(text_[begin - 1]))
      --begin;
    return text_.substr(begin, end - begin);
  }

  std::string_view value() const { return text_.substr(begin_, end_ - begin_); }
  bool is_hex() const {
    return std::all_of(text_.begin() + static_cast<std::ptrdiff_t>(begin_),
                       text_.begin() + static_cast<std::ptrdiff_t>(end_),
                       [](char c) { return ascii::is_hex(c) || c == '-'; });
  }
  bool is_strong() {
    if (is_small()) return true;
    return !is_hex() && is_token_like(value(), kLongRun, ahead_) && ahead_.entropy(value()) > 3.4 &&
           !is_placeholder(value(), ahead_);
  }
  // Small letters and digits only.
  bool is_small() {
    constexpr std::size_t kLeast = 32;
    const std::string_view v = value();
    if (v.size() < kLeast || is_hex()) return false;
    const Shape s = ahead_.shape_of(v);
    return s.uppers == 0 && s.others == 0 && s.digit_runs >= 5 && s.digits * 3 < s.letters * 2 &&
           s.digits * 8 > v.size() && ahead_.entropy(v) >= 4.2 && ahead_.wordiness(v) < 0.3;
  }
  // As a key of a service may look.
  bool is_likely() { return (is_hex() || is_random(value(), kLongRun, ahead_)) && !is_placeholder(value(), ahead_); }

  bool is_assigned(std::size_t sign, bool is_quoted) {
    const std::string_view name = name_before(sign);
    if (is_quoted && (name == "d" || name == "k")) return is_of_key_object() && is_likely();
    if (name.size() < 2 || ascii::is_digit(name.front()) || ends_harmless(name, WordClass::harmless_key_name))
      return false;
    if (value().starts_with("0x")) return false;
    if (tells_service(name)) return is_likely();
    return (is_quoted || text_[sign] == '=') && (is_alnum() || is_long_key()) && is_strong();
  }

  // A JSON Web Key.
  bool is_of_key_object() const {
    constexpr std::size_t kReach = 600;
    const std::size_t from = begin_ - std::min(begin_, kReach);
    return text_.substr(from, end_ - from + kReach).find("kty") != std::string_view::npos;
  }

  bool is_argument(std::size_t open) {
    const std::string_view call = name_before(open);
    if (call.size() < 2) return false;
    if (tells_service(call)) return is_likely();
    return !ends_harmless(call, WordClass::harmless_call) && is_strong();
  }

  // The argument behind others: hmac.new(secret, "…")
  bool is_later_argument(std::size_t comma) {
    const std::size_t least = comma - std::min<std::size_t>(comma, 80);
    int depth = 0;
    for (std::size_t i = comma; i > least; --i) {
      const char c = text_[i - 1];
      if (c == '\n' || c == ';' || c == '{' || c == '[') return false;
      if (c == ')') ++depth;
      if (c == '(' && depth-- == 0) return is_argument(i - 1) && is_strong();
    }
    return false;
  }

  // 64 bytes of Base64, as keys of storage are.
  bool is_long_key() const {
    constexpr std::size_t kKey = 88;
    return end_ - begin_ == kKey && value().ends_with("==");
  }

  bool is_alnum() const {
    std::string_view value = text_.substr(begin_, end_ - begin_);
    while (value.ends_with('='))
      value.remove_suffix(1);
    return std::all_of(value.begin(), value.end(), ascii::is_alnum);
  }

  // A word of a sentence or of a command.
  bool is_whole_word() {
    constexpr std::size_t kLeast = 32;
    const bool is_padded = value().ends_with('=') && value().size() % 4 == 0;
    constexpr std::size_t kLeastUrl = 40;  // of Base64 for URLs
    if (end_ - begin_ < kLeast ||
        !(is_padded || is_alnum() || (end_ - begin_ >= kLeastUrl && value().find('/') == std::string_view::npos)))
      return false;
    const char behind = end_ < text_.size() ? text_[end_] : ' ';
    const char before = begin_ > 0 ? text_[begin_ - 1] : ' ';
    const bool is_bold = before == '*' && begin_ > 1 && text_[begin_ - 2] == '*';
    if (!ascii::is_space(before) && !is_quote_mark(before) && before != '(' && before != '[' && !is_bold) return false;
    if (!ascii::is_space(behind) && !is_quote_mark(behind) && !(is_bold && behind == '*') &&
        std::string_view("\\,;:)]!?").find(behind) == std::string_view::npos)
      return false;
    const bool is_plain = is_padded || is_alnum();
    return !is_line_of_data() && !is_of_block() && ahead_.entropy(value()) > (is_plain ? 4.1 : 4.5) &&
           (is_plain || ahead_.wordiness(value()) < 0.35) && ahead_.wordiness(value()) < 0.5;
  }

  // Whether it is all of a line, and as long as those of encoded data are, or the last of them.
  bool is_line_of_data() const {
    constexpr std::size_t kLine = 60;
    std::size_t i = begin_;
    while (i > 0 && (text_[i - 1] == ' ' || text_[i - 1] == '\t' || is_quote_mark(text_[i - 1])))
      --i;
    std::size_t k = end_;
    while (k < text_.size() && (is_quote_mark(text_[k]) || text_[k] == ',' || text_[k] == ' ' || text_[k] == '\r'))
      ++k;
    const bool is_alone = (i == 0 || text_[i - 1] == '\n') && (k == text_.size() || text_[k] == '\n');
    return is_alone && (end_ - begin_ >= kLine || text_[end_ - 1] == '=' || !is_alnum());
  }

  // Whether the line before or behind is of the same kind, as those of certificates and of other encoded data are.
  bool is_of_block() const {
    constexpr std::size_t kLine = 40;
    const auto is_between = [&](std::size_t i) {
      return ascii::is_space(text_[i]) || is_quote_mark(text_[i]) || text_[i] == '\\' || text_[i] == ',';
    };
    std::size_t i = begin_;
    while (i > 0 && begin_ - i < kLine && is_between(i - 1))
      --i;
    // "\n" of an escaped text
    if (i > 1 && text_[i] != '\n' && text_[i - 1] == 'n' && text_[i - 2] == '\\') i -= 2;
    std::size_t run = 0;
    while (i > run && run < kLine && is_of_token(text_[i - run - 1]))
      ++run;
    if (run == kLine || (run >= 5 && text_.substr(i - 5, 5) == "-----")) return true;
    i = end_;
    while (i < text_.size() && i - end_ < kLine && is_between(i))
      ++i;
    if (i < text_.size() && i > end_ && text_[i - 1] == '\\' && text_[i] == 'n') ++i;
    run = 0;
    while (i + run < text_.size() && run < kLine && is_of_token(text_[i + run]))
      ++run;
    return run == kLine;
  }

  std::string_view text_;
  std::size_t begin_;
  std::size_t end_;
  LookAhead& ahead_;
};

}  // namespace

void find_bare_token(std::string_view text, std::size_t begin, std::size_t end, LookAhead& ahead,
                     std::vector<Secret>& out) {
  BareToken token(text, begin, end, ahead);
  if (token.is_secret()) out.push_back(token.secret());
}

void find_lone_word(std::string_view text, std::size_t begin, std::size_t end, LookAhead& ahead,
                    std::vector<Secret>& out) {
  BareToken token(text, begin, end, ahead);
  if (token.is_lone_word()) out.push_back(token.secret());
}

}  // namespace memd::redaction
