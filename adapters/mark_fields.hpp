#pragma once

#include "schemas/base/ascii.hpp"

#include <charconv>
#include <string_view>

namespace memd {

// Sets the number to the first field of a mark, and removes it with the separator behind it; one that cannot be read
// is 0.
template <class Number>
void take_number(std::string_view& mark, char separator, Number& number) {
  const auto field = ascii::take_until(mark, separator);
  number = 0;
  std::from_chars(field.data(), field.data() + field.size(), number);
}

}  // namespace memd
