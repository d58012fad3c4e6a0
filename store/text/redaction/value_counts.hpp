#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace memd::redaction {

// Counts of the characters of a value.
struct Shape {
  std::size_t letters = 0;
  std::size_t lowers = 0;
  std::size_t uppers = 0;
  std::size_t digits = 0;
  std::size_t others = 0;
  std::size_t blanks = 0;
  std::size_t digit_runs = 0;
  std::size_t switches = 0;  // between letter cases and digits inside, as random strings have

  bool operator==(const Shape&) const = default;
};
Shape shape_of(std::string_view value);

// Returns the share of letters and digits that are in possible words: "user_token2" has many, "x7Kq2vR9" none.
double wordiness(std::string_view value);

// Returns the entropy in bits per character.
double entropy(std::string_view value);

// The same for many values of one text that overlap: only the bytes by which the next value differs from the last are
// counted. The results are equal to those of the functions above. Not thread-safe.
class ValueCounts {
 public:
  explicit ValueCounts(std::string_view text) : text_(text) {}

  // Returns how many bytes move_to() would count.
  std::size_t bytes_to(std::size_t begin, std::size_t end) const;
  // The value that the other functions describe, in bytes of the text.
  void move_to(std::size_t begin, std::size_t end);

  Shape shape() const;
  double wordiness() const;
  double entropy() const;

 private:
  void count_front(std::size_t by);  // by 1 or -1: the byte at begin_ as part of the value
  void count_back(std::size_t by);   // the byte before end_
  void count_byte(std::size_t at, std::size_t by);
  void count_edge(std::size_t at, std::size_t by);  // between the bytes before and at `at`

  std::string_view text_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  Shape shape_;                  // without `letters`; `digit_runs` counts those that begin behind the first byte
  std::size_t inner_words_ = 0;  // letters in possible words, of the runs of letters that touch neither end
  std::array<std::size_t, 256> bytes_{};
};

}  // namespace memd::redaction
