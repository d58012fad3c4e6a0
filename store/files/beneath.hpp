#pragma once

#include "schemas/base/unique_fd.hpp"

#include <cstdint>
#include <filesystem>

namespace memd::files {

enum class Resolver : std::uint8_t { kernel, by_hand };

// Opens a directory whose links are followed, as a root for open_beneath(). Without descriptor, errno is set.
UniqueFd open_root(const std::filesystem::path& directory);

// Opens a file or directory below `root`, whose path is `root_path`. A link below it is followed if it stays below it:
// a relative one, or an absolute one that begins with `root_path`. Magic links are not followed. Without descriptor,
// errno is set; EXDEV: the path leads out of `root`. `by_hand` opens component by component, which is what happens
// where openat2(2) is missing; no replacement of a component meanwhile leads out. `flags`: without O_CREAT and O_PATH.
// Thread-safe.
UniqueFd open_beneath(const UniqueFd& root, const std::filesystem::path& root_path, const std::filesystem::path& below,
                      int flags, Resolver resolver = Resolver::kernel);

}  // namespace memd::files
