#pragma once

#include "schemas/file_history.hpp"

#include <string>

namespace memd::tools {

// The sentence in which the agent says what it did with the files of a use: the last one that names one of them, else
// its words before it touched the first, else how its answer begins. On one line; empty: it said nothing.
std::string said_of_files(const FileUse& use);

// The name of a file without its directories.
std::string_view base_name(std::string_view path);

}  // namespace memd::tools
