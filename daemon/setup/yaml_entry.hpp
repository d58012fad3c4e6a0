#pragma once

#include "schemas/base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

// memd's extension in Goose's config.yaml, which Goose writes anew without comments, so that no mark would stay:
//
//   extensions:
//     memd:
//       cmd: "/usr/bin/memd"
//       args: ["--stdio"]
//
// The file is parsed to find lines, and only those of memd change: comments and order stay. Errors are
// Errc::bad_config "line 3: what is wrong". Pure functions; any thread.
namespace memd::setup {

// Returns the command and its arguments; empty: there is no entry.
Result<std::vector<std::string>> read_entry(std::string_view text);

// Returns the text with an entry for this command. One that is there gets command and arguments; its other lines stay.
Result<std::string> with_entry(std::string_view text, const std::vector<std::string>& command);

// Returns the text without the entry; without `extensions`, too, if it would be empty.
Result<std::string> without_entry(std::string_view text);

}  // namespace memd::setup
