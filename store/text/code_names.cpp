#include "store/text/code_names.hpp"

#include "schemas/base/ascii.hpp"
#include "store/text/words.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <unordered_set>

namespace memd::continuity {
namespace {

constexpr std::size_t kShortest = 4;
constexpr std::size_t kLongest = 60;

bool is_file_name(std::string_view word) {
  const auto dot = word.rfind('.');
  return dot != std::string_view::npos && words(WordClass::name_ending).has(word.substr(dot + 1));
}

bool is_hash(std::string_view word) {
  if (word.starts_with("toolu_") || word.starts_with("msg_0") || word.starts_with("call_")) return true;
  return word.size() >= 7 && std::all_of(word.begin(), word.end(), [](char c) { return ascii::is_hex(c) || c == '_'; });
}

// Returns whether the letters are random, without a run of four that looks like a word: "romVXEIp8dRKcS".
bool is_random(std::string_view word) {
  constexpr std::size_t kShortestRandom = 12;
  if (word.size() < kShortestRandom || word.find_first_of("._:") != std::string_view::npos) return false;
  std::size_t run = 0;
  std::size_t longest = 0;
  for (const char c : word) {
    run = ascii::is_lower(c) ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest < 4 && std::any_of(word.begin(), word.end(), ascii::is_digit) &&
         std::any_of(word.begin(), word.end(), ascii::is_lower);
}

bool has_hump(std::string_view w) {
  for (std::size_t i = 0; i + 1 < w.size(); ++i)
    if (!ascii::is_upper(w[i]) && w[i] != '_' && ascii::is_upper(w[i + 1])) return true;
  return false;
}

bool has_inner_underscore(std::string_view w) {
  const auto first = w.find_first_not_of('_');
  const auto last = w.find_last_not_of('_');
  return first != std::string_view::npos && w.substr(first, last - first).find('_') != std::string_view::npos;
}

// TS2345, E1234, ENOENT
bool is_error_code(std::string_view w) {
  const auto upper = static_cast<std::size_t>(std::find_if_not(w.begin(), w.end(), ascii::is_upper) - w.begin());
  if (upper == w.size()) return w.front() == 'E' && w.size() >= 5 && w.size() <= 12 && w != "ERROR" && w != "ERRORS";
  const std::size_t digits = w.size() - upper;
  return upper >= 1 && upper <= 6 && digits >= 2 && digits <= 5 &&
         std::all_of(w.begin() + static_cast<std::ptrdiff_t>(upper), w.end(), ascii::is_digit);
}

bool is_code_name(std::string_view w) {
  if (w.size() < kShortest || w.size() > kLongest || is_hash(w) || is_file_name(w) || is_random(w)) return false;
  if (w.find_first_of(".:") != std::string_view::npos)
    return std::any_of(w.begin(), w.end(), [](char c) { return ascii::is_upper(c) || c == '_'; });
  return has_inner_underscore(w) || has_hump(w) || is_error_code(w);
}

// Returns the end of a name, including parts joined by '.' and '::'.
std::size_t name_end(std::string_view text, std::size_t i) {
  while (true) {
    while (i < text.size() && ascii::is_word(text[i]))
      ++i;
    const std::size_t joint = text.substr(i, 1) == "." ? 1 : text.substr(i, 2) == "::" ? 2 : 0;
    if (joint == 0 || i + joint >= text.size() || !(ascii::is_letter(text[i + joint]) || text[i + joint] == '_'))
      return i;
    i += joint;
  }
}

// Returns whether the letter belongs to an escape sequence: the n of "\nAuthor" in a string literal.
bool begins_escape(std::string_view text, std::size_t i) {
  return i > 0 && text[i - 1] == '\\' && (text[i] == 'n' || text[i] == 't' || text[i] == 'r') && i + 1 < text.size() &&
         ascii::is_letter(text[i + 1]);
}

bool is_port(std::string_view text, std::size_t begin, std::size_t end) {
  if (end - begin < 4 || end - begin > 5) return false;
  const std::string_view before = text.substr(0, begin);
  return before.ends_with("localhost:") || before.ends_with(" :") || before.ends_with("0.1:") ||
         before.ends_with("port ") || before.ends_with("PORT=") || before.ends_with("--port=");
}

}  // namespace

void for_each_code_name(std::string_view text, const std::function<void(std::string_view)>& f) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    const bool inside = i > 0 && (ascii::is_word(text[i - 1]) || text[i - 1] == '-');
    if (text[i] == '-' && !inside && text.substr(i, 2) == "--" && i + 2 < text.size() &&
        ascii::is_letter(text[i + 2])) {
      i += 2;
      while (i < text.size() && (ascii::is_word(text[i]) || text[i] == '-'))
        ++i;
      if (i - begin >= kShortest && i - begin <= kLongest) f(text.substr(begin, i - begin));
    } else if (begins_escape(text, i)) {
      ++i;
    } else if (ascii::is_letter(text[i]) || text[i] == '_') {
      i = name_end(text, i);
      const std::string_view name = text.substr(begin, i - begin);
      const bool cut = text.substr(i).starts_with("…");
      if (!cut && is_code_name(name)) f(name);
    } else if (ascii::is_digit(text[i])) {
      while (i < text.size() && ascii::is_digit(text[i]))
        ++i;
      if (is_port(text, begin, i)) f(text.substr(begin, i - begin));
      while (i < text.size() && ascii::is_word(text[i]))
        ++i;
    } else {
      ++i;
    }
  }
}

bool names(std::string_view text, std::string_view word) {
  if (word.empty()) return false;
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool joined_before = at > 0 && ascii::is_word(text[at - 1]) && ascii::is_word(word.front());
    const bool joined_behind = end < text.size() && ((ascii::is_word(text[end]) && ascii::is_word(word.back())) ||
                                                     (text[end] == '-' && word.starts_with("--")));
    if (!joined_before && !joined_behind) return true;
  }
  return false;
}

}  // namespace memd::continuity

namespace memd::enrichment {
namespace {

constexpr std::size_t kShortest = 4;
constexpr std::size_t kLongest = 64;
constexpr std::size_t kMaxParts = 8;

enum class Kind : unsigned char { other, lower, upper, digit, beyond_ascii };

constexpr auto kKinds = [] {
  std::array<Kind, 256> out{};
  for (std::size_t c = 0; c < 256; ++c)
    out[c] = c >= 'a' && c <= 'z'   ? Kind::lower
             : c >= 'A' && c <= 'Z' ? Kind::upper
             : c >= '0' && c <= '9' ? Kind::digit
             : c >= 0x80            ? Kind::beyond_ascii
                                    : Kind::other;
  return out;
}();

Kind kind_of(char c) { return kKinds[static_cast<unsigned char>(c)]; }

bool starts_part(std::string_view word, std::size_t at) {
  if (kind_of(word[at]) != Kind::upper) return false;
  if (kind_of(word[at - 1]) != Kind::upper) return true;
  return at + 1 < word.size() && kind_of(word[at + 1]) == Kind::lower;
}

// Returns whether the word is a compound of words rather than random.
bool is_name(std::string_view word) {
  if (word.size() < kShortest || word.size() > kLongest) return false;
  const auto parts = identifier_parts(word);
  if (parts.size() < 2 || parts.size() > kMaxParts) return false;
  const auto digits = std::count_if(word.begin(), word.end(), [](char c) { return kind_of(c) == Kind::digit; });
  const auto shorts = std::count_if(parts.begin(), parts.end(), [](std::string_view p) { return p.size() < 3; });
  return static_cast<std::size_t>(digits) * 4 <= word.size() && static_cast<std::size_t>(shorts) * 2 <= parts.size();
}

class Collector {
 public:
  void read(std::string_view text) {
    for (std::size_t at = 0; at < text.size() && found_.size() < kMaxIdentifiers;) {
      if (kind_of(text[at]) == Kind::other) {
        ++at;
        continue;
      }
      const std::size_t start = at;
      bool hump = false;
      bool plain = true;
      for (Kind before = Kind::other; at < text.size(); ++at) {
        const Kind kind = kind_of(text[at]);
        if (kind == Kind::other) break;
        hump |= kind == Kind::upper && (before == Kind::lower || before == Kind::digit);
        hump |= kind == Kind::lower && before == Kind::upper && at - start > 1;
        plain &= kind != Kind::beyond_ascii;
        before = kind;
      }
      if (hump && plain) add(text.substr(start, at - start));
    }
  }
  std::vector<std::string> take() { return std::move(found_); }

 private:
  void add(std::string_view word) {
    if (!known_.insert(word).second || !is_name(word)) return;
    found_.emplace_back(word);
  }

  std::vector<std::string> found_;
  std::unordered_set<std::string_view> known_;  // views into the texts read
};

}  // namespace

std::vector<std::string_view> identifier_parts(std::string_view word) {
  std::vector<std::string_view> out;
  std::size_t start = 0;
  for (std::size_t at = 1; at <= word.size(); ++at)
    if (at == word.size() || starts_part(word, at)) {
      out.push_back(word.substr(start, at - start));
      start = at;
    }
  return out;
}

std::vector<std::string> extract_identifiers(const ExchangeRow& exchange) {
  Collector collector;
  for (const std::string* text :
       {&exchange.user_message, &exchange.interventions, &exchange.assistant_response, &exchange.tool_text})
    collector.read(*text);
  return collector.take();
}

}  // namespace memd::enrichment
