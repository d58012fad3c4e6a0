#include "store/text/redaction/value_counts.hpp"

#include "schemas/base/ascii.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace memd::redaction {
namespace {

bool is_vowel(char letter) {
  constexpr std::uint32_t kVowels =
      1U << ('a' & 31) | 1U << ('e' & 31) | 1U << ('i' & 31) | 1U << ('o' & 31) | 1U << ('u' & 31) | 1U << ('y' & 31);
  return (kVowels >> (static_cast<unsigned char>(letter) & 31U) & 1U) != 0;
}

bool is_pronounceable(std::string_view letters) {
  std::size_t vowels = 0;
  std::size_t run = 0;
  std::size_t longest = 0;
  for (const char c : letters) {
    const bool vowel = is_vowel(c);
    vowels += vowel ? 1 : 0;
    run = vowel ? 0 : run + 1;
    longest = std::max(longest, run);
  }
  return longest <= 4 && vowels * 6 >= letters.size() && vowels < letters.size();
}

struct Words {
  std::size_t letters = 0;  // in possible words
  std::size_t total = 0;    // letters and digits
  double share() const { return total == 0 ? 0 : static_cast<double>(letters) / static_cast<double>(total); }
};

// "fooBar" and "FOOBar" have two words.
Words words_of(std::string_view v) {
  Words out;
  for (std::size_t i = 0; i < v.size();) {
    if (!ascii::is_letter(v[i])) {
      out.total += ascii::is_digit(v[i]) ? 1 : 0;
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    if (ascii::is_upper(v[i]) && end < v.size() && ascii::is_upper(v[end]))
      while (end < v.size() && ascii::is_upper(v[end]))
        ++end;
    else
      while (end < v.size() && ascii::is_lower(v[end]))
        ++end;
    out.total += end - i;
    if (end - i >= 3 && is_pronounceable(v.substr(i, end - i))) out.letters += end - i;
    i = end;
  }
  return out;
}

constexpr char class_char(char c) {
  return ascii::is_lower(c) ? 'a' : ascii::is_upper(c) ? 'A' : ascii::is_digit(c) ? '0' : '.';
}

// Five counts in one number, twelve bits each: for each byte, one is added to those that it belongs to.
constexpr int kLowers = 0;
constexpr int kUppers = 12;
constexpr int kDigits = 24;
constexpr int kOthers = 36;
constexpr int kBlanks = 48;  // others, too
constexpr std::size_t kMostCounted = (1U << 12) - 1;
constexpr std::uint64_t kOfClasses = (std::uint64_t{1} << kBlanks) - 1;
constexpr auto kCounted = [] {
  std::array<std::uint64_t, 256> out{};
  for (std::size_t byte = 0; byte < out.size(); ++byte) {
    const char c = static_cast<char>(byte);
    const char cls = class_char(c);
    out[byte] = std::uint64_t{1} << (cls == 'a' ? kLowers : cls == 'A' ? kUppers : cls == '0' ? kDigits : kOthers);
    if (c == ' ' || c == '\t') out[byte] |= std::uint64_t{1} << kBlanks;
  }
  return out;
}();

double entropy_of(const std::array<std::size_t, 256>& counts, const std::array<std::uint64_t, 4>& present,
                  std::size_t size) {
  std::array<double, 16> of_count{};  // by how often a byte stands there; few differ
  double bits = 0;
  for (std::size_t word = 0; word < present.size(); ++word)
    for (std::uint64_t left = present[word]; left != 0; left &= left - 1) {
      const std::size_t n = counts[word * 64 + static_cast<std::size_t>(std::countr_zero(left))];
      if (n < of_count.size() && of_count[n] != 0) {
        bits -= of_count[n];
        continue;
      }
      const double p = static_cast<double>(n) / static_cast<double>(size);
      const double part = p * std::log2(p);
      if (n < of_count.size()) of_count[n] = part;
      bits -= part;
    }
  return bits;
}

}  // namespace

Shape shape_of(std::string_view v) {
  Shape s;
  std::uint64_t before = 0;
  for (std::size_t done = 0; done < v.size(); done += kMostCounted) {
    std::uint64_t counts = 0;
    for (const char c : v.substr(done, kMostCounted)) {
      const std::uint64_t one = kCounted[static_cast<unsigned char>(c)];
      const std::uint64_t cls = one & kOfClasses;
      counts += one;
      s.switches += cls != before ? 1 : 0;
      s.digit_runs += (cls & ~before) >> kDigits & 1;
      before = cls;
    }
    s.lowers += counts >> kLowers & kMostCounted;
    s.uppers += counts >> kUppers & kMostCounted;
    s.digits += counts >> kDigits & kMostCounted;
    s.others += counts >> kOthers & kMostCounted;
    s.blanks += counts >> kBlanks & kMostCounted;
  }
  s.switches -= v.empty() ? 0 : 1;  // before the first byte is no class
  s.letters = s.lowers + s.uppers;
  return s;
}

double wordiness(std::string_view value) { return words_of(value).share(); }

double entropy(std::string_view value) {
  std::array<std::size_t, 256> counts{};
  std::array<std::uint64_t, 4> present{};
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    ++counts[byte];
    present[byte / 64] |= std::uint64_t{1} << byte % 64;
  }
  return entropy_of(counts, present, value.size());
}

void ValueCounts::count_byte(std::size_t at, std::size_t by) {
  const char c = text_[at];
  switch (class_char(c)) {
    case 'a': shape_.lowers += by; break;
    case 'A': shape_.uppers += by; break;
    case '0': shape_.digits += by; break;
    default: shape_.others += by; break;
  }
  if (c == ' ' || c == '\t') shape_.blanks += by;
  bytes_[static_cast<unsigned char>(c)] += by;
}

void ValueCounts::count_edge(std::size_t at, std::size_t by) {
  const char before = class_char(text_[at - 1]);
  const char behind = class_char(text_[at]);
  if (before == behind) return;
  shape_.switches += by;
  if (behind == '0') shape_.digit_runs += by;
}

void ValueCounts::count_front(std::size_t by) {
  count_byte(begin_, by);
  const std::size_t first = begin_ + 1;
  if (first == end_) return;
  count_edge(first, by);
  if (ascii::is_letter(text_[begin_]) || !ascii::is_letter(text_[first])) return;
  std::size_t end = first;
  while (end < end_ && ascii::is_letter(text_[end]))
    ++end;
  if (end < end_) inner_words_ += by * words_of(text_.substr(first, end - first)).letters;
}

void ValueCounts::count_back(std::size_t by) {
  const std::size_t last = end_ - 1;
  count_byte(last, by);
  if (last == begin_) return;
  count_edge(last, by);
  if (ascii::is_letter(text_[last]) || !ascii::is_letter(text_[last - 1])) return;
  std::size_t begin = last;
  while (begin > begin_ && ascii::is_letter(text_[begin - 1]))
    --begin;
  if (begin > begin_) inner_words_ += by * words_of(text_.substr(begin, last - begin)).letters;
}

std::size_t ValueCounts::bytes_to(std::size_t begin, std::size_t end) const {
  if (begin >= end_ || end <= begin_) return end - begin;
  return std::max(begin, begin_) - std::min(begin, begin_) + std::max(end, end_) - std::min(end, end_);
}

void ValueCounts::move_to(std::size_t begin, std::size_t end) {
  constexpr auto kLess = static_cast<std::size_t>(-1);
  if (begin >= end_ || end <= begin_) {
    *this = ValueCounts(text_);
    begin_ = end_ = begin;
  }
  while (end_ < end)
    ++end_, count_back(1);
  while (begin_ > begin)
    --begin_, count_front(1);
  while (end_ > end)
    count_back(kLess), --end_;
  while (begin_ < begin)
    count_front(kLess), ++begin_;
}

Shape ValueCounts::shape() const {
  Shape out = shape_;
  out.letters = out.lowers + out.uppers;
  out.digit_runs += begin_ < end_ && ascii::is_digit(text_[begin_]) ? 1 : 0;
  return out;
}

double ValueCounts::wordiness() const {
  std::size_t first_end = begin_;
  while (first_end < end_ && ascii::is_letter(text_[first_end]))
    ++first_end;
  std::size_t last_begin = end_;
  while (last_begin > first_end && ascii::is_letter(text_[last_begin - 1]))
    --last_begin;
  Words words;
  words.letters = inner_words_ + words_of(text_.substr(begin_, first_end - begin_)).letters +
                  words_of(text_.substr(last_begin, end_ - last_begin)).letters;
  words.total = shape_.lowers + shape_.uppers + shape_.digits;
  return words.share();
}

double ValueCounts::entropy() const {
  std::array<std::uint64_t, 4> present{};
  for (std::size_t byte = 0; byte < bytes_.size(); ++byte)
    present[byte / 64] |= std::uint64_t{bytes_[byte] > 0 ? 1U : 0U} << byte % 64;
  return entropy_of(bytes_, present, end_ - begin_);
}

}  // namespace memd::redaction
