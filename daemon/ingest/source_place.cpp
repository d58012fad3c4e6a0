#include "daemon/ingest/source_place.hpp"

#include "daemon/ingest/discovery.hpp"

#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>

namespace memd {
namespace fs = std::filesystem;
namespace {

bool is_absent(int error) { return error == ENOENT || error == ENOTDIR; }

}  // namespace

PathLook look_at_path(const fs::path& path) {
  PathLook out;
  struct ::stat st {};
  if (::stat(path.c_str(), &st) != 0) {
    out.error = errno;
    return out;
  }
  out.is_directory = S_ISDIR(st.st_mode);
  out.device = static_cast<std::uint64_t>(st.st_dev);
  out.inode = static_cast<std::uint64_t>(st.st_ino);
  if (out.is_directory && ::access(path.c_str(), R_OK | X_OK) != 0) out.error = errno;
  return out;
}

Verdict judge_absence(const Source& source, const Error& error, const fs::path& root, const LookAtPath& look,
                      const std::function<bool(const fs::path&)>& is_same_place) {
  const fs::path file(source.path);
  // A root may be a single file: its place is then the directory it stands in.
  const fs::path top = root == file ? root.parent_path() : root;
  fs::path directory = file.parent_path();
  PathLook seen = look(directory);
  while (is_absent(seen.error) && is_inside(directory, top) && directory != top) {
    directory = directory.parent_path();
    seen = look(directory);
  }
  if (is_absent(seen.error))
    return {SourceState::unreachable, top.string() + " is not there; what was read from it stays"};
  if (seen.error != 0) return {SourceState::unreachable, directory.string() + ": " + std::strerror(seen.error)};
  if (!error.is(Errc::not_found)) return {SourceState::active, error.message()};
  const bool other_device = source.identity.device != 0 && seen.device != source.identity.device;
  if (other_device && !is_same_place(directory))
    return {SourceState::unreachable,
            directory.string() + " is on another file system than it was: is a disk not mounted?"};
  return {SourceState::gone, "the file is not there any more; what was read stays"};
}

}  // namespace memd
