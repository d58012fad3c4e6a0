#pragma once

#include "daemon/tools/list_sessions.hpp"

#include <string>

// What the page of `memd web` shows first, as markup: a browser paints it before it runs a script. Pure; any thread.
namespace memd::cli::web {

// Returns the beginning of the list, with what stands above it. The page's script draws the same (web.js) and takes the
// elements over.
std::string drawn_list(const tools::ListSessionsAnswer& list);

// Returns the constant of the page's script with the markup of a row, `sessionRow`: names in ${} stand for texts.
std::string session_row_markup();

}  // namespace memd::cli::web
