#pragma once

#include "schemas/platform.hpp"
#include "schemas/source_item.hpp"
#include "store/db/database.hpp"

#include <string>
#include <string_view>

namespace memd::queries {

// What the store remembers of a session in a source that is changed in place, in the order of item numbers, the head
// (if there is one) apart. Throws ErrorException.
SessionItems session_items(sqlite::Database& db, Platform platform, std::string_view source_path,
                           std::string_view session_uid);

}  // namespace memd::queries
