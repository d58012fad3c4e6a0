#pragma once

#include "adapters/file_view.hpp"
#include "adapters/gemini/paths.hpp"

#include <string>

namespace memd::gemini {

// The working directory of the project a chat belongs to: from .project_root beside the chats, else from projects.json,
// where it is found by its readable name or by the hash of its path. Empty when neither tells.
std::string find_project_root(const FileView& files, const ChatPath& chat);

}  // namespace memd::gemini
