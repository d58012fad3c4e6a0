#pragma once

#include <filesystem>
#include <string>

namespace memd {

// The newest memd that has served a data directory, or is about to: memd.program in it, a version and a path. An older
// client that has to start a daemon starts that one, so that the two versions do not replace each other in turn.
struct NewestProgram {
  std::string version;
  std::filesystem::path program;
};

// Empty if there is none, if it is not newer than this memd, if its program is this one or not there, or if somebody
// else could have changed it.
NewestProgram newer_program(const std::filesystem::path& data_dir);

// Notes this version and `program`, unless a newer one is known. What cannot be written is not noted.
void note_program(const std::filesystem::path& data_dir, const std::filesystem::path& program);

}  // namespace memd
