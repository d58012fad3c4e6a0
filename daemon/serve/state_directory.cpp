#include "daemon/serve/state_directory.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

namespace memd {
namespace {

namespace fs = std::filesystem;

Result<void> make_directories(const fs::path& path) {
  if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return {};
  if (errno != ENOENT || !path.has_relative_path()) return Error::from_errno(errno, "mkdir", path.native());
  MEMD_TRY(make_directories(path.parent_path()));
  if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return {};
  return Error::from_errno(errno, "mkdir", path.native());
}

}  // namespace

Result<UniqueFd> open_state_directory(const fs::path& path) {
  const fs::path directory = path.has_filename() ? path : path.parent_path();  // "dir/" has an empty last name
  MEMD_TRY(make_directories(directory));
  UniqueFd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return Error::from_errno(errno, "open", directory.native());
  struct stat st {};
  if (::fstat(fd.get(), &st) != 0) return Error::from_errno(errno, "fstat", directory.native());
  if (st.st_uid != ::geteuid())
    return Error(Errc::permission, fmt::format("{} belongs to user {}, not to you ({}): choose another directory",
                                               directory.native(), st.st_uid, ::geteuid()));
  if ((st.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return Error(Errc::permission, fmt::format("others can write to {} (mode {:03o}): run chmod 700 {}",
                                               directory.native(), st.st_mode & 0777U, directory.native()));
  return fd;
}

}  // namespace memd
