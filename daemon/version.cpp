#include "daemon/version.hpp"

namespace memd {

std::string_view version() { return MEMD_VERSION; }

}  // namespace memd
