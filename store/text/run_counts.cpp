#include "store/text/run_counts.hpp"

#include "schemas/base/ascii.hpp"
#include "store/text/run_words.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <vector>

namespace memd {
namespace {

struct CountToken {
  enum class Kind : std::uint8_t { word, number, sign };
  Kind kind = Kind::sign;
  std::string text;  // of a word, in lower case
  char sign = 0;
  std::int64_t number = 0;
};

bool is_in_word(char c) { return ascii::is_letter(c) || ascii::is_non_ascii(c) || c == '_' || c == '\''; }

// Signs and blanks between words only matter where they separate counts. Numbers with a unit ("12ms", "0.3s") are left
// out.
std::vector<CountToken> count_tokens(std::string_view line) {
  std::vector<CountToken> out;
  for (std::size_t i = 0; i < line.size();) {
    const std::size_t begin = i;
    CountToken token;
    if (ascii::is_digit(line[i])) {
      while (i < line.size() && (ascii::is_alnum(line[i]) || line[i] == '.' || line[i] == ':'))
        ++i;
      while (line[i - 1] == '.' || line[i - 1] == ':')
        --i;
      const auto digits = line.substr(begin, i - begin);
      token.kind = CountToken::Kind::number;
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), token.number);
      if (error != std::errc() || end != digits.data() + digits.size()) continue;
    } else if (is_in_word(line[i])) {
      while (i < line.size() && is_in_word(line[i]))
        ++i;
      token.kind = CountToken::Kind::word;
      token.text = ascii::lowered(line.substr(begin, i - begin));
      if (line.substr(i).starts_with("(s)")) i += 3, token.text += 's';
      const bool symbols = std::all_of(token.text.begin(), token.text.end(), ascii::is_non_ascii);
      if (symbols && !run_words(RunWord::failing).has(token.text) && !run_words(RunWord::passing).has(token.text))
        continue;
    } else if (line[i++] == ' ') {
      continue;
    } else {
      token.sign = line[begin];
    }
    out.push_back(std::move(token));
  }
  return out;
}

class CountReader {
 public:
  explicit CountReader(std::string_view line) : tokens_(count_tokens(line)) {}

  RunCounts read() {
    for (std::size_t i = 0; i < tokens_.size();) {
      const std::size_t next = tokens_[i].kind == CountToken::Kind::number ? number_at(i) : word_at(i);
      i = std::max(next, i + 1);
    }
    return out_;
  }

 private:
  bool is_number(std::size_t i) const { return i < tokens_.size() && tokens_[i].kind == CountToken::Kind::number; }
  bool is_sign(std::size_t i, std::string_view signs) const {
    return i < tokens_.size() && tokens_[i].kind == CountToken::Kind::sign && signs.find(tokens_[i].sign) != signs.npos;
  }
  bool is_in(std::size_t i, RunWord list) const {
    return i < tokens_.size() && tokens_[i].kind == CountToken::Kind::word && run_words(list).has(tokens_[i].text);
  }
  bool is_word(std::size_t i, std::string_view word) const {
    return i < tokens_.size() && tokens_[i].kind == CountToken::Kind::word && tokens_[i].text == word;
  }
  bool is_status(std::size_t i) const { return is_in(i, RunWord::failing) || is_in(i, RunWord::passing); }
  std::size_t behind_things(std::size_t i) const {
    for (int most = 0; most < 2 && is_in(i, RunWord::counted) && !is_status(i); ++most)
      ++i;
    return i;
  }
  bool is_excused(std::size_t i) const { return i > 0 && is_in(i - 1, RunWord::excused); }

  void add(std::size_t status, std::int64_t number, std::int64_t whole) {
    ++out_.counts;
    if (is_excused(status)) return;
    if (is_in(status, RunWord::failing)) {
      out_.fails |= number > 0;
      out_.says_none_failed |= number == 0;
    } else if (number > 0) {
      out_.passes |= whole == 0 || whole == number;
      out_.incomplete |= whole != 0 && whole != number;
      out_.timed |= is_word(status + 1, "in") || is_word(status + 1, "after");
    }
  }

  // "3 failed", "3 tests failed", "1 of 3 failed", "12 tests". Returns the token behind, 0: none.
  std::size_t number_at(std::size_t i) {
    const std::int64_t number = tokens_[i].number;
    std::int64_t whole = 0;
    std::size_t at = i + 1;
    if (is_sign(at, "%")) ++at;
    std::size_t of = at;
    if (is_word(of, "out")) ++of;
    if ((is_word(of, "of") || is_sign(of, "/")) && is_number(of + 1)) {
      whole = tokens_[of + 1].number;
      at = of + 2;
    }
    const std::size_t status = behind_things(at);
    if (is_status(status) && !(is_sign(status + 1, ":=") && is_number(status + 2))) {
      add(status, number, whole);
      return status + 1;
    }
    if (is_in(status, RunWord::excused) && is_status(status + 1)) return ++out_.counts, status + 2;
    if (status == at) return i + 1;
    ++out_.counts;
    out_.things |= number > 0;
    return status;
  }

  // "Failures: 1", "failures=1", "# fail 1", "Failed Tests 1", "Tests run: 5".
  std::size_t word_at(std::size_t i) {
    if (tokens_[i].kind != CountToken::Kind::word) return i + 1;
    const bool status = is_status(i);
    const std::size_t things = behind_things(status ? i + 1 : i);
    if (!status && things == i) {
      if (!is_in(i, RunWord::beside) && !is_in(i, RunWord::excused)) ++out_.foreign;
      return i + 1;
    }
    std::size_t at = things;
    const bool named = is_sign(at, ":=");
    if (named) ++at;
    if (!is_number(at)) return things;
    const std::size_t next = behind_things(at + 1);
    if (is_status(next) && !is_sign(next + 1, ":=")) return things;  // the number is of what follows
    if (!status && !named) return things;
    if (status) {
      std::int64_t whole = 0;
      std::size_t end = at + 1;
      if ((is_word(end, "of") || is_sign(end, "/")) && is_number(end + 1)) {
        whole = tokens_[end + 1].number;
        end += 2;
      }
      add(i, tokens_[at].number, whole);
      return end;
    }
    ++out_.counts;
    out_.things |= tokens_[at].number > 0;
    return at + 1;
  }

  std::vector<CountToken> tokens_;
  RunCounts out_;
};

}  // namespace

RunCounts read_run_counts(std::string_view line) { return CountReader(line).read(); }

}  // namespace memd
