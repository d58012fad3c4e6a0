#pragma once

#include <filesystem>
#include <string>

namespace memd {

// The newest memd that has served a data directory or is about to: version and path, stored in memd.program of that
// directory. An older client that has to start a daemon starts this program, so that two versions do not replace each
// other in turn.
struct NewestProgram {
  std::string version;
  std::filesystem::path program;
};

// Returns the noted program. Empty if there is none, if it is not newer than this memd, if the program is missing or is
// this one, or if another user could have changed the file.
NewestProgram newer_program(const std::filesystem::path& data_dir);

// Notes this version and `program`, unless a newer one is noted. Write errors are ignored.
void note_program(const std::filesystem::path& data_dir, const std::filesystem::path& program);

}  // namespace memd
