#include "daemon/version.hpp"

#include <charconv>
#include <cstddef>
#include <system_error>

namespace memd {

namespace {

int next_number(std::string_view& text) {
  int number = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (ec != std::errc{}) number = -1;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (text.starts_with('.'))
    text.remove_prefix(1);
  else
    text = {};
  return number;
}

}  // namespace

std::string_view version() { return MEMD_VERSION; }

bool is_older(std::string_view a, std::string_view b) {
  for (int i = 0; i < 3; ++i) {
    const int of_a = next_number(a);
    const int of_b = next_number(b);
    if (of_a != of_b) return of_a < of_b;
  }
  return false;
}

}  // namespace memd
