#include "adapters/json/value_scanner.hpp"

namespace memd::json {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

bool is_scalar(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '+' || c == '.';
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
  ++at_;
  while (at_ < text_.size() && text_[at_] != '"')
    at_ += text_[at_] == '\\' ? 2 : 1;
  if (at_ >= text_.size()) {
    at_ = text_.size();
    return fail(State::unfinished);
  }
  ++at_;
  return true;
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
      if (state_ == State::broken) at_ = begin;  // the damage is all of the value
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

std::string compacted(std::string_view value) {
  std::string out;
  out.reserve(value.size());
  bool in_string = false;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    if (in_string && c == '\\' && i + 1 < value.size()) {
      out.push_back(c);
      out.push_back(value[++i] == '\n' ? ' ' : value[i]);
      continue;
    }
    if (c == '"') in_string = !in_string;
    if (!in_string && is_blank(c)) continue;
    out.push_back(c == '\n' || c == '\r' ? ' ' : c);
  }
  return out;
}

}  // namespace memd::json
