#pragma once

#include "store/db/database.hpp"
#include "store/raw/raw_rows.hpp"

#include <filesystem>
#include <string>

namespace memd::raw {

// Brings the rows of one file in line with what the file holds, in the caller's transaction:
//  * frames behind the last committed one are cut off;
//  * a file that was merged by a process that died before it could say so gets the rows of its new frames;
//  * frames that the file has lost lose their rows; their sources, where they still are, will be read from the start.
void reconcile(sqlite::Database& db, const std::filesystem::path& directory, FileRow row, TimeMs now);

// Rows for a file that the store does not know, from what the file says of itself.
FileRow adopt(sqlite::Database& db, const std::filesystem::path& directory, const std::string& name);

}  // namespace memd::raw
