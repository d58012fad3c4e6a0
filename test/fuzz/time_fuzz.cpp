#include "schemas/base/time.hpp"
#include "test/fuzz/fuzz_target.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

// A time that parses is formatted as a text that parses to the same instant.
MEMD_FUZZ_TARGET(time) {
  const auto time = memd::parse_rfc3339({reinterpret_cast<const char*>(data), size});
  if (time && *time != 0 && memd::parse_rfc3339(memd::format_rfc3339(*time)) != time) std::abort();
  return 0;
}
