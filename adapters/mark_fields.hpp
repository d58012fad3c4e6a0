#pragma once

#include <algorithm>
#include <charconv>
#include <string_view>

namespace memd {

// Returns the first field of a mark, and removes it with the separator behind it.
inline std::string_view take_field(std::string_view& mark, char separator) {
  const auto end = std::min(mark.find(separator), mark.size());
  const auto field = mark.substr(0, end);
  mark.remove_prefix(std::min(end + 1, mark.size()));
  return field;
}

// The same for a number; one that cannot be read is 0.
template <class Number>
void take_number(std::string_view& mark, char separator, Number& number) {
  const auto field = take_field(mark, separator);
  number = 0;
  std::from_chars(field.data(), field.data() + field.size(), number);
}

}  // namespace memd
