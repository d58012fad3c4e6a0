#include "store/db/rows.hpp"

namespace memd::queries {

Platform platform_of(std::string_view key) { return stored_platform(key); }

}  // namespace memd::queries
