#include "adapters/json/value_scanner.hpp"

#include "schemas/base/ascii.hpp"

#include <algorithm>

namespace memd::json {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

bool is_scalar(char c) { return ascii::is_alnum(c) || c == '-' || c == '+' || c == '.'; }

// Returns the offset after the closing quote of the string that starts at `at`; npos when there is none.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (std::size_t quote = text.find('"', at + 1); quote != std::string_view::npos; quote = text.find('"', quote + 1)) {
    std::size_t escapes = 0;
    while (text[quote - 1 - escapes] == '\\')
      ++escapes;
    if (escapes % 2 == 0) return quote + 1;
  }
  return std::string_view::npos;
}

}  // namespace

void ValueScanner::skip_blanks() {
  while (at_ < text_.size() && is_blank(text_[at_]))
    ++at_;
}

char ValueScanner::peek() {
  skip_blanks();
  return at_ < text_.size() ? text_[at_] : '\0';
}

bool ValueScanner::take(char expected) {
  skip_blanks();
  if (at_ == text_.size()) return fail(State::unfinished);
  if (text_[at_] != expected) return fail(State::broken);
  ++at_;
  return true;
}

bool ValueScanner::skip_string() {
  const std::size_t end = end_of_string(text_, at_);
  at_ = std::min(end, text_.size());
  return end <= text_.size() || fail(State::unfinished);
}

bool ValueScanner::skip_container() {
  std::string open;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '"') {
      if (!skip_string()) return false;
      continue;
    }
    if (c == '{' || c == '[') {
      open.push_back(c == '{' ? '}' : ']');
    } else if (c == '}' || c == ']') {
      if (open.back() != c) return fail(State::broken);
      open.pop_back();
    } else if (c == '\0') {
      return fail(State::broken);
    }
    ++at_;
    if (open.empty()) return true;
  }
  return fail(State::unfinished);
}

std::string_view ValueScanner::value() {
  skip_blanks();
  const std::size_t begin = at_;
  if (at_ == text_.size()) {
    fail(State::unfinished);
    return {};
  }
  const char first = text_[at_];
  if (first == '"') {
    if (!skip_string()) return {};
  } else if (first == '{' || first == '[') {
    if (!skip_container()) {
      if (state_ == State::broken) at_ = begin;  // the whole value counts as damaged
      return {};
    }
  } else {
    while (at_ < text_.size() && is_scalar(text_[at_]))
      ++at_;
    if (at_ == text_.size()) fail(State::unfinished);
    if (at_ == begin) fail(State::broken);
    if (state_ != State::good) return {};
  }
  return text_.substr(begin, at_ - begin);
}

std::string_view ValueScanner::string_body() {
  skip_blanks();
  if (at_ < text_.size() && text_[at_] != '"') {
    fail(State::broken);
    return {};
  }
  const std::string_view whole = value();
  return whole.size() < 2 ? std::string_view{} : whole.substr(1, whole.size() - 2);
}

}  // namespace memd::json
