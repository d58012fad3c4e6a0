#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

// Names of enumerators and members as the code spells them. What is stored, sent and configured by such a name changes
// when it is renamed. Pure; any thread.
namespace memd::reflect {

namespace detail {

template <auto value>
constexpr std::string_view told() {
  return __PRETTY_FUNCTION__;  // "… [value = …]", of g++ "… [with auto value = …; …]"
}
inline constexpr std::size_t kBefore = told<0>().find("value = ") + 8;
inline constexpr std::size_t kBehind = told<0>().size() - kBefore - 1;

// As the compiler spells the value: "memd::Role::user", "&memd::Row::slug"; "(memd::Role)9" where none has a name. Of
// thousands of members: a search for the beginning would take seconds of compiling.
template <auto value>
constexpr std::string_view spelled() {
  return {told<value>().data() + kBefore, told<value>().size() - kBefore - kBehind};
}

// Without the text around the name, which would stay in the program.
template <auto value>
inline constexpr auto kLetters = [] {
  constexpr std::string_view all = spelled<value>();
  constexpr std::size_t begin = all.rfind(':') + 1;
  std::array<char, all.size() - begin> out{};
  std::copy(all.begin() + begin, all.end(), out.begin());
  return out;
}();

template <class Enum, std::size_t count = 0>
constexpr std::size_t count_of() {
  if constexpr (spelled<static_cast<Enum>(count)>().front() == '(')
    return count;
  else
    return count_of<Enum, count + 1>();
}

}  // namespace detail

template <auto value>
inline constexpr std::string_view kNameOf{detail::kLetters<value>.data(), detail::kLetters<value>.size()};

// Of an enumeration whose values count from 0.
template <class Enum>
inline constexpr auto kEnumNames = []<std::size_t... i>(std::index_sequence<i...>) {
  static_assert(sizeof...(i) > 0);
  return std::array{kNameOf<static_cast<Enum>(i)>...};
}
(std::make_index_sequence<detail::count_of<Enum>()>());

// `otherwise`: for a value without a name, as damaged rows have.
template <class Enum>
constexpr std::string_view enum_name(Enum value, std::string_view otherwise = {}) {
  const auto at = static_cast<std::size_t>(value);
  return at < kEnumNames<Enum>.size() ? kEnumNames<Enum>[at] : otherwise;
}

template <class Enum>
constexpr std::optional<Enum> enum_of(std::string_view name) {
  const auto at = std::find(kEnumNames<Enum>.begin(), kEnumNames<Enum>.end(), name);
  if (at == kEnumNames<Enum>.end()) return std::nullopt;
  return static_cast<Enum>(at - kEnumNames<Enum>.begin());
}

}  // namespace memd::reflect
