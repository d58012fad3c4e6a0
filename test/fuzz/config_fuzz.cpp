#include "daemon/config/config.hpp"
#include "schemas/base/error.hpp"
#include "test/fuzz/fuzz_target.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

// Any text gives a configuration within its limits or an error that names the file; nothing is thrown.
MEMD_FUZZ_TARGET(config) {
  const auto config = memd::parse_config({reinterpret_cast<const char*>(data), size}, "memd.yaml");
  if (config) {
    if (config->query_threads < 1 || config->query_threads > 16) std::abort();
    if (config->max_tokens < 100 || config->max_tokens > 8000) std::abort();
  } else if (!config.error().is(memd::Errc::bad_config) ||
             config.error().context.find("memd.yaml") == std::string::npos) {
    std::abort();
  }
  return 0;
}
