#pragma once

#include "schemas/error.hpp"
#include "schemas/source.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace memd {

// What stat() says of a path.
struct PathLook {
  int error = 0;  // errno; of a directory also when it cannot be listed or entered
  bool is_directory = false;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
};
using LookAtPath = std::function<PathLook(const std::filesystem::path&)>;
PathLook look_at_path(const std::filesystem::path& path);

struct Verdict {
  SourceState state = SourceState::active;  // active: it is there and cannot be read all the same
  std::string reason;                       // in plain words
};

// Judges by its surroundings why a source could not be read. A missing file is `gone` if its root and the directories
// on the way can be listed and are on the same file system as before. Else it is `unreachable`, and nothing is
// concluded from its absence.
//   `root`          the root it was found under
//   `is_same_place` whether another source that is known below a directory is still there: then the file system is the
//                   one it was, whatever its number (numbers change with a restart)
Verdict judge_absence(const Source& source, const Error& error, const std::filesystem::path& root,
                      const LookAtPath& look,
                      const std::function<bool(const std::filesystem::path& directory)>& is_same_place);

}  // namespace memd
