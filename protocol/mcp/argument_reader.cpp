#include "protocol/mcp/argument_reader.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/json_writer.hpp"
#include "schemas/base/utf8.hpp"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>

namespace memd::mcp {
namespace {

namespace bj = boost::json;

constexpr double kLargestExactInteger = 9007199254740992.0;  // 2^53

// Returns a short description of the value for an error message.
std::string describe_value(const bj::value& v) {
  switch (v.kind()) {
    case bj::kind::null: return "null";
    case bj::kind::bool_: return v.get_bool() ? "true" : "false";
    case bj::kind::int64: return fmt::format("{}", v.get_int64());
    case bj::kind::uint64: return fmt::format("{}", v.get_uint64());
    case bj::kind::double_: return fmt::format("{}", v.get_double());
    case bj::kind::array: return "an array";
    case bj::kind::object: return "an object";
    case bj::kind::string: break;
  }
  const std::string_view text(v.get_string());
  const std::string_view kept = utf8_prefix(text, 40);
  std::string out;
  json::append_string(out, kept);
  return kept.size() < text.size() ? out + "…" : out;
}

std::string span_text(const Rules& rules, std::string_view unit) {
  const std::string tail = unit.empty() ? "" : fmt::format(" {}", unit);
  if (rules.has_minimum() && rules.has_maximum()) return fmt::format("{} to {}{}", rules.minimum, rules.maximum, tail);
  if (rules.has_minimum()) return fmt::format("{} or more{}", rules.minimum, tail);
  return fmt::format("at most {}{}", rules.maximum, tail);
}

std::string number_wanted(const Rules& rules, std::string_view noun) {
  const bool both = rules.has_minimum() && rules.has_maximum();
  if (both) return fmt::format("{} from {}", noun, span_text(rules, {}));
  if (rules.has_minimum() || rules.has_maximum()) return fmt::format("{}, {}", noun, span_text(rules, {}));
  return std::string(noun);
}

std::string choices_text(const Rules& rules) {
  std::string out;
  for (std::size_t i = 0; i < rules.choice_count; ++i)
    out += (i == 0 ? "" : ", ") + std::string(rules.choices[i]);
  return out;
}

std::size_t code_points(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !is_utf8_tail(c); }));
}

template <class Number>
bool parse_whole(std::string_view text, Number& out) {
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), out);
  return ec == std::errc{} && end == text.data() + text.size() && !text.empty();
}

bool to_integer(const bj::value& v, std::int64_t& out) {
  if (v.is_int64()) return out = v.get_int64(), true;
  double d = 0;
  if (v.is_double())
    d = v.get_double();
  else if (!v.is_string())
    return false;
  else if (parse_whole(std::string_view(v.get_string()), out))
    return true;
  else if (!parse_whole(std::string_view(v.get_string()), d))
    return false;
  if (!(std::abs(d) <= kLargestExactInteger) || d != std::floor(d)) return false;
  out = static_cast<std::int64_t>(d);
  return true;
}

constexpr std::size_t kLongestName = 64;

// Letters and digits in lower case: "nResults", "n-results" and "n_results" are the same word.
std::string folded(std::string_view name) {
  std::string out;
  for (const char c : name.substr(0, kLongestName))
    if (ascii::is_alnum(c)) out += ascii::lower(c);
  return out;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

// The candidate a writer most likely meant: at most a third of its letters differ, case aside, or one contains the
// other. nullopt when nothing is near.
std::optional<std::string_view> nearest_name(std::string_view name, std::span<const std::string_view> candidates) {
  const std::string wanted = folded(name);
  std::optional<std::string_view> best;
  std::size_t best_distance = 0;
  for (const std::string_view candidate : candidates) {
    const std::string have = folded(candidate);
    std::size_t distance = edit_distance(wanted, have);
    const bool contains = std::min(wanted.size(), have.size()) >= 3 &&
                          (wanted.find(have) != std::string::npos || have.find(wanted) != std::string::npos);
    if (!contains && distance * 3 > std::max(wanted.size(), have.size())) continue;
    if (!best || distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

void write_limit(json::Writer& w, std::string_view key, double limit) {
  w.key(key);
  if (limit == std::floor(limit) && std::abs(limit) < 9e15)
    w.number(static_cast<std::int64_t>(limit));
  else
    w.number(limit);
}

}  // namespace

void write_number_rules(json::Writer& w, const Rules& rules) {
  if (!rules.limits_are_listed) return;
  if (rules.has_minimum()) write_limit(w, "minimum", rules.minimum);
  if (rules.has_maximum()) write_limit(w, "maximum", rules.maximum);
}

void write_string_rules(json::Writer& w, const Rules& rules) {
  if (rules.choice_count == 0 || !rules.choices_are_listed) return;
  w.member_texts("enum", std::span(rules.choices).first(rules.choice_count));
}

const bj::value* ArgumentReader::take(std::string_view name, const Rules& rules) {
  (rules.unlisted ? unlisted_ : known_).push_back(name);
  const bj::value* v = arguments_.if_contains(name);
  last_was_present_ = v != nullptr && !v->is_null();
  if (last_was_present_) return v;
  if (rules.required) problem(name, "is required and was not sent");
  return nullptr;
}

void ArgumentReader::problem(std::string_view name, std::string_view what) {
  if (!problems_.empty()) problems_ += '\n';
  problems_.append(name).append(": ").append(what);
}

bool ArgumentReader::convert(const bj::value& v, std::string_view name, const Rules& rules, std::int64_t& out) {
  std::int64_t n = 0;
  if (!to_integer(v, n)) {
    problem(name, fmt::format("got {}, send {}", describe_value(v), number_wanted(rules, "an integer")));
    return false;
  }
  const auto wide = static_cast<double>(n);
  if (rules.clamps && (wide < rules.minimum || wide > rules.maximum)) {
    out = static_cast<std::int64_t>(std::clamp(wide, rules.minimum, rules.maximum));
    return true;
  }
  if (wide < rules.minimum || wide > rules.maximum) {
    problem(name, fmt::format("{} is out of range, send {}", n, span_text(rules, {})));
    return false;
  }
  out = n;
  return true;
}

bool ArgumentReader::convert(const bj::value& v, std::string_view name, const Rules& rules, double& out) {
  double d = 0;
  if (v.is_number()) {
    d = v.to_number<double>();
  } else if (!v.is_string() || !parse_whole(std::string_view(v.get_string()), d) || !std::isfinite(d)) {
    problem(name, fmt::format("got {}, send {}", describe_value(v), number_wanted(rules, "a number")));
    return false;
  }
  if (rules.clamps) d = std::clamp(d, rules.minimum, rules.maximum);
  if (d < rules.minimum || d > rules.maximum) {
    problem(name, fmt::format("{} is out of range, send {}", d, span_text(rules, {})));
    return false;
  }
  out = d;
  return true;
}

bool ArgumentReader::convert(const bj::value& v, std::string_view name, const Rules& rules, std::string& out) {
  if (!v.is_string()) {
    const std::string wanted = rules.choice_count > 0 ? "one of " + choices_text(rules) : "a string";
    problem(name, fmt::format("got {}, send {}", describe_value(v), wanted));
    return false;
  }
  const std::string_view text(v.get_string());
  if (rules.choice_count > 0) {
    const auto* const end = rules.choices.begin() + rules.choice_count;
    if (std::find(rules.choices.begin(), end, text) == end) {
      problem(name, fmt::format("{} is not known, send one of {}", describe_value(v), choices_text(rules)));
      return false;
    }
  }
  const std::size_t n = rules.min_length > 0 || rules.max_length != Rules::kNoLimit ? code_points(text) : 0;
  if (n < rules.min_length) {
    problem(name, n == 0 ? std::string("is empty, send some text")
                         : fmt::format("{} characters is too short, send at least {}", n, rules.min_length));
    return false;
  }
  if (n > rules.max_length) {
    problem(name, fmt::format("{} characters is too long, send at most {}", n, rules.max_length));
    return false;
  }
  out.assign(text);
  return true;
}

template <class T>
void ArgumentReader::read_scalar(std::string_view name, const Rules& rules, T& out) {
  if (const bj::value* v = take(name, rules)) convert(*v, name, rules, out);
}

void ArgumentReader::read(std::string_view name, const Rules& rules, bool& out) {
  const bj::value* v = take(name, rules);
  if (v == nullptr) return;
  if (v->is_bool()) {
    out = v->get_bool();
  } else if (v->is_string() && (v->get_string() == "true" || v->get_string() == "false")) {
    out = v->get_string() == "true";
  } else {
    problem(name, fmt::format("got {}, send true or false", describe_value(*v)));
  }
}

void ArgumentReader::read(std::string_view name, const Rules& rules, std::int64_t& out) {
  read_scalar(name, rules, out);
}
void ArgumentReader::read(std::string_view name, const Rules& rules, double& out) { read_scalar(name, rules, out); }
void ArgumentReader::read(std::string_view name, const Rules& rules, std::string& out) {
  read_scalar(name, rules, out);
}
void ArgumentReader::read(std::string_view name, const Rules& rules, std::vector<std::string>& out) {
  const bj::value* v = take(name, rules);
  if (v == nullptr) return;
  std::vector<std::string> items;
  if (!v->is_array()) {
    if (v->is_object()) return problem(name, "got an object, send an array");
    std::string single;
    if (!convert(*v, name, rules, single)) return;
    items.push_back(std::move(single));
  } else {
    const bj::array& array = v->get_array();
    if (array.size() > rules.max_items)
      return problem(name, fmt::format("{} items is too many, send at most {}", array.size(), rules.max_items));
    for (std::size_t i = 0; i < array.size(); ++i) {
      std::string item;
      if (!convert(array[i], fmt::format("{}[{}]", name, i), rules, item)) return;
      items.push_back(std::move(item));
    }
  }
  out = std::move(items);
}

Result<void> ArgumentReader::finish() {
  for (const auto& [key, value] : arguments_) {
    const std::string_view name(key);
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    if (std::find(unlisted_.begin(), unlisted_.end(), name) != unlisted_.end()) continue;
    std::string shown;
    json::append_string(shown, name.substr(0, 64));
    if (const auto near = nearest_name(name, known_)) {
      problem(shown, fmt::format("is not an argument of this tool, did you mean {}?", *near));
    } else if (known_.empty()) {
      problem(shown, "is not an argument of this tool, it takes none");
    } else {
      problem(shown, fmt::format("is not an argument of this tool, it takes {}", fmt::join(known_, ", ")));
    }
  }
  if (problems_.empty()) return {};
  return Error(Errc::invalid_argument, std::move(problems_));
}

}  // namespace memd::mcp
