#pragma once

#include "schemas/base/json_writer.hpp"
#include "schemas/base/result.hpp"

#include <boost/json/fwd.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::mcp {

// The limits of a field's value. range, length and one_of apply to each item of an array. Limits of length and
// number of items are in no schema, because each word of a schema costs the model tokens. The error for an argument
// that breaks one states the limit.
struct Rules {
  static constexpr std::size_t kMaxChoices = 24;
  static constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

  bool required = false;
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  std::size_t min_length = 0;  // of a string, in code points
  std::size_t max_length = kNoLimit;
  std::size_t max_items = kNoLimit;
  std::array<std::string_view, kMaxChoices> choices{};
  std::size_t choice_count = 0;
  bool clamps = false;             // a number beyond the limits is replaced by the nearest limit
  bool limits_are_listed = true;   // in the schema
  bool choices_are_listed = true;  // likewise
  bool unlisted = false;           // the argument is accepted, and is in no schema
  bool recurs = false;             // the member is in the results of all tools, and in no tool's schema

  constexpr bool has_minimum() const { return minimum != -std::numeric_limits<double>::infinity(); }
  constexpr bool has_maximum() const { return maximum != std::numeric_limits<double>::infinity(); }
};
inline constexpr Rules kNoRules{};

// Write the limits as members of a JSON Schema.
void write_number_rules(json::Writer& w, const Rules& rules);
void write_string_rules(json::Writer& w, const Rules& rules);

// The spelling used in field(…, required, range(1, 50)).
struct Required {
  constexpr void apply(Rules& r) const { r.required = true; }
};
inline constexpr Required required{};

struct Range {
  double lo, hi;
  constexpr void apply(Rules& r) const { r.minimum = lo, r.maximum = hi; }
};
constexpr Range range(double lo, double hi) { return {lo, hi}; }

// Clamps a number to lo…hi. For sizes and counts: a request for 1,000 of at most 50 means as many as possible.
struct Clamped {
  double lo, hi;
  constexpr void apply(Rules& r) const { r.minimum = lo, r.maximum = hi, r.clamps = true, r.limits_are_listed = false; }
};
constexpr Clamped clamped(double lo, double hi) { return {lo, hi}; }

// Leave limits or choices out of the schema, because the description or another tool states them.
struct LimitsUnlisted {
  constexpr void apply(Rules& r) const { r.limits_are_listed = false; }
};
inline constexpr LimitsUnlisted limits_unlisted{};
struct ChoicesUnlisted {
  constexpr void apply(Rules& r) const { r.choices_are_listed = false; }
};
inline constexpr ChoicesUnlisted choices_unlisted{};

// Leaves an argument out of the schema: aliases, and arguments that only memd's command line sends.
struct Unlisted {
  constexpr void apply(Rules& r) const { r.unlisted = true; }
};
inline constexpr Unlisted unlisted{};

struct Recurring {
  constexpr void apply(Rules& r) const { r.recurs = true; }
};
inline constexpr Recurring recurring{};

struct AtLeast {
  double lo;
  constexpr void apply(Rules& r) const { r.minimum = lo; }
};
constexpr AtLeast at_least(double lo) { return {lo}; }

struct Length {
  std::size_t lo, hi;
  constexpr void apply(Rules& r) const { r.min_length = lo, r.max_length = hi; }
};
constexpr Length length(std::size_t lo, std::size_t hi) { return {lo, hi}; }

struct MaxItems {
  std::size_t hi;
  constexpr void apply(Rules& r) const { r.max_items = hi; }
};
constexpr MaxItems max_items(std::size_t hi) { return {hi}; }

template <std::size_t N>
struct OneOf {
  std::array<std::string_view, N> names;
  constexpr void apply(Rules& r) const {
    static_assert(N <= Rules::kMaxChoices);
    for (std::size_t i = 0; i < N; ++i)
      r.choices[i] = names[i];
    r.choice_count = N;
  }
};
template <std::convertible_to<std::string_view>... Names>
constexpr OneOf<sizeof...(Names)> one_of(Names... names) {
  return {{std::string_view(names)...}};
}
template <std::size_t N>
constexpr OneOf<N> one_of(const std::array<std::string_view, N>& names) {
  return {names};
}

// Reads the arguments of one call, member by member, and collects what is wrong with them. Accepts sloppy values whose
// meaning is clear: 5.0 and "5" are integers, "x" is a list of one, null is absent. One thread. Borrows the object.
class ArgumentReader {
 public:
  explicit ArgumentReader(const boost::json::object& arguments) : arguments_(arguments) {}

  // These leave `out` unchanged when the argument is absent or wrong.
  void read(std::string_view name, const Rules& rules, bool& out);
  void read(std::string_view name, const Rules& rules, std::int64_t& out);
  void read(std::string_view name, const Rules& rules, double& out);
  void read(std::string_view name, const Rules& rules, std::string& out);
  void read(std::string_view name, const Rules& rules, std::vector<std::string>& out);

  template <std::integral Int>
  void read(std::string_view name, Rules rules, Int& out) {
    rules.minimum = std::max(rules.minimum, static_cast<double>(std::numeric_limits<Int>::min()));
    rules.maximum = std::min(rules.maximum, static_cast<double>(std::numeric_limits<Int>::max()));
    std::int64_t wide = static_cast<std::int64_t>(out);
    read(name, rules, wide);
    out = static_cast<Int>(wide);
  }
  template <class T>
  void read(std::string_view name, const Rules& rules, std::optional<T>& out) {
    T value{};
    const std::size_t problems_before = problems_.size();
    read(name, rules, value);
    if (last_was_present_ && problems_.size() == problems_before) out = std::move(value);
  }

  // The error lists all problems, a line each: wrong arguments and unknown ones.
  Result<void> finish();

 private:
  const boost::json::value* take(std::string_view name, const Rules& rules);
  void problem(std::string_view name, std::string_view what);
  bool convert(const boost::json::value& v, std::string_view name, const Rules& rules, std::int64_t& out);
  bool convert(const boost::json::value& v, std::string_view name, const Rules& rules, double& out);
  bool convert(const boost::json::value& v, std::string_view name, const Rules& rules, std::string& out);
  template <class T>
  void read_scalar(std::string_view name, const Rules& rules, T& out);

  const boost::json::object& arguments_;
  std::vector<std::string_view> known_;
  std::vector<std::string_view> unlisted_;
  std::string problems_;
  bool last_was_present_ = false;
};

}  // namespace memd::mcp
