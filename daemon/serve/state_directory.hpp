#pragma once

#include "daemon/serve/unique_fd.hpp"
#include "schemas/error.hpp"

#include <filesystem>

namespace memd {

// Creates the directory (0700, parents too) when it is missing, opens it, and checks what was opened: it has to belong
// to this user, and nobody else may write to it. Errc::permission otherwise. Parents are not checked: in a user
// namespace they may appear owned by nobody.
Result<UniqueFd> open_state_directory(const std::filesystem::path& path);

}  // namespace memd
