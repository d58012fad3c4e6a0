#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

namespace memd::json {

// Finds the bounds of the values in a JSON document without interpreting them. For documents that an agent rewrites as
// a whole: their elements are records with exact bytes, and they may be truncated or damaged. Does not own the text;
// one thread at a time.
class ValueScanner {
 public:
  enum class State { good, unfinished, broken };  // unfinished: the text ends inside a value

  explicit ValueScanner(std::string_view text, std::size_t at = 0) : text_(text), at_(at) {}

  State state() const { return state_; }
  std::size_t at() const { return at_; }

  void skip_blanks();
  char peek();                     // returns the next non-blank character; 0 at the end
  bool take(char expected);        // consumes that character, or changes the state
  std::string_view value();        // consumes any value; empty if the state changed
  std::string_view string_body();  // consumes a string and returns it without quotes

  // Iterates over the next value, an object. open(raw key) returns true if it consumed the value from the scanner
  // itself. Otherwise member(raw key, value) is called.
  template <class Open, class Member>
  bool members(Open&& open, Member&& member);
  template <class Member>
  bool members(Member&& member) {
    return members([](std::string_view) { return false; }, std::forward<Member>(member));
  }
  // Calls visit(value) for each element of the next value, an array. Elements before a damaged one are visited.
  template <class Visit>
  bool elements(Visit&& visit);

 private:
  bool fail(State state) {
    state_ = state;
    return false;
  }
  bool skip_string();
  bool skip_container();

  std::string_view text_;
  std::size_t at_;
  State state_ = State::good;
};

template <class Open, class Member>
bool ValueScanner::members(Open&& open, Member&& member) {
  if (!take('{')) return false;
  if (peek() == '}') return take('}');
  for (;;) {
    skip_blanks();
    const std::string_view key = string_body();
    if (state_ != State::good || !take(':')) return false;
    if (!open(key)) {
      skip_blanks();
      const std::string_view found = value();
      if (state_ != State::good) return false;
      member(key, found);
    } else if (state_ != State::good) {
      return false;
    }
    if (peek() == '}') return take('}');
    if (!take(',')) return false;
  }
}

template <class Visit>
bool ValueScanner::elements(Visit&& visit) {
  if (!take('[')) return false;
  if (peek() == ']') return take(']');
  for (;;) {
    skip_blanks();
    const std::string_view found = value();
    if (state_ != State::good) return false;
    visit(found);
    if (peek() == ']') return take(']');
    if (!take(',')) return false;
  }
}

}  // namespace memd::json
