#pragma once

#include "store/db/database.hpp"

#include <string>
#include <string_view>

namespace memd::queries {

// What to tell somebody who asks for `part` of a project's path or name, and there is no such project: "no project has
// …", with the names of the newest. Empty when there is one, when `part` is empty, and when there are no projects.
std::string unknown_project(sqlite::Database& db, std::string_view part);

}  // namespace memd::queries
