#include "store/db/rows.hpp"

#include "schemas/base/error.hpp"

namespace memd::queries {

Platform platform_of(std::string_view key) {
  if (const auto p = parse_platform(key)) return *p;
  throw ErrorException(Error(Errc::store_version, "the store names a platform this memd does not know: " +
                                                      std::string(key) + "; install the newer memd"));
}

}  // namespace memd::queries
