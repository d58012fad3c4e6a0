#include "store/files/git_place.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/unique_fd.hpp"
#include "schemas/project_identity.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <array>
#include <filesystem>

namespace memd::files {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostGitFileBytes = 4096;

// Returns the first line of a small regular file; empty for anything else.
std::string first_line_of(const fs::path& file) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  struct ::stat st {};
  if (!fd || ::fstat(fd.get(), &st) != 0 || !S_ISREG(st.st_mode)) return {};
  std::array<char, kMostGitFileBytes + 1> bytes;
  const ssize_t n = ::read(fd.get(), bytes.data(), bytes.size());
  if (n <= 0 || static_cast<std::size_t>(n) > kMostGitFileBytes) return {};
  const std::string_view text(bytes.data(), static_cast<std::size_t>(n));
  if (text.find('\0') != std::string_view::npos) return {};
  return std::string(ascii::trimmed(text.substr(0, text.find('\n'))));
}

fs::path resolved_path(const fs::path& base, const std::string& path) {
  fs::path out = (base / path).lexically_normal();
  return out.has_filename() ? out : out.parent_path();  // without a trailing slash
}

// Returns the git directory that a worktree's `.git` file names, if that directory names the file in turn; else empty.
fs::path linked_git_directory(const fs::path& file) {
  constexpr std::string_view kKey = "gitdir:";
  const std::string line = first_line_of(file);
  if (!line.starts_with(kKey)) return {};
  fs::path directory = resolved_path(file.parent_path(), std::string(ascii::trimmed(std::string_view(line).substr(7))));
  if (directory.parent_path().filename() != "worktrees") return {};
  const std::string common = first_line_of(directory / "commondir");
  if (common.empty() || resolved_path(directory, common) != directory.parent_path().parent_path()) return {};
  const std::string back = first_line_of(directory / "gitdir");
  std::error_code ec;
  if (back.empty() || !fs::equivalent(resolved_path(directory, back), file, ec)) return {};
  return directory;
}

// Returns the branch that is checked out in a git directory.
std::string branch_in(const fs::path& git) {
  constexpr std::string_view kBranch = "ref: refs/heads/";
  const std::string head = first_line_of(git / "HEAD");
  return head.starts_with(kBranch) ? head.substr(kBranch.size()) : std::string();
}

}  // namespace

std::optional<GitPlace> git_place_of(std::string_view directory) {
  if (!directory.starts_with('/') || directory.find('\0') != std::string_view::npos) return std::nullopt;
  struct ::stat st {};
  fs::path at = resolved_path(fs::path(directory), ".");
  if (::stat(at.c_str(), &st) != 0 || !S_ISDIR(st.st_mode)) return std::nullopt;
  for (; at.has_relative_path(); at = at.parent_path()) {
    const fs::path git = at / ".git";
    if (::lstat(git.c_str(), &st) != 0) continue;
    const fs::path worktree = S_ISREG(st.st_mode) ? linked_git_directory(git) : fs::path();
    if (worktree.empty()) return GitPlace{project_identity(at.native()).key, {}, branch_in(git)};
    return GitPlace{project_identity(worktree.native()).key, at.filename().string(), branch_in(worktree)};
  }
  return GitPlace{};
}

std::string repository_of(const std::string& directory) {
  const auto place = git_place_of(directory);
  return place && !place->worktree.empty() ? place->repository : directory;
}

}  // namespace memd::files
