#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <limits>
#include <string_view>

namespace memd::mcp {

// What a field's value has to obey. range, length and one_of apply to each item of an array.
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

  constexpr bool has_minimum() const { return minimum != -std::numeric_limits<double>::infinity(); }
  constexpr bool has_maximum() const { return maximum != std::numeric_limits<double>::infinity(); }
};

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

}  // namespace memd::mcp
