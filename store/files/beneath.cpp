#include "store/files/beneath.hpp"

#include "schemas/base/ascii.hpp"
#include "store/files/path_name.hpp"

#include <fcntl.h>
#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#include <sys/syscall.h>
#endif
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace memd::files {
namespace fs = std::filesystem;
namespace {

constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
constexpr int kMostLinks = 40;  // as in the kernel

UniqueFd no_descriptor(int error) {
  errno = error;
  return {};
}

// Resolves a path component by component. Each directory on the way stays open, so ".." returns to the one that was
// passed, wherever it was moved meanwhile.
class PathWalk {
 public:
  PathWalk(const UniqueFd& root, const fs::path& root_path) : root_path_(root_path) {
    passed_.emplace_back(::openat(root.get(), ".", kDirectory));
  }

  UniqueFd open(const fs::path& below, int flags) {
    if (!passed_.back() || !put_first(below)) return {};
    int links = 0;
    while (!names_.empty()) {
      const std::string name = std::move(names_.front());
      names_.pop_front();
      if (name == "..") {
        if (passed_.size() == 1) return no_descriptor(EXDEV);
        passed_.pop_back();
        continue;
      }
      if (const auto target = link_at(name)) {
        if (++links > kMostLinks) return no_descriptor(ELOOP);
        if (!put_first(*target)) return {};
        continue;
      }
      UniqueFd fd(::openat(passed_.back().get(), name.c_str(), (names_.empty() ? flags : kDirectory) | O_NOFOLLOW));
      if (!fd) {
        const int why = errno;  // ENOTDIR: of O_DIRECTORY with O_NOFOLLOW
        const bool became_link = (why == ELOOP || why == ENOTDIR) && link_at(name);
        if (!became_link || ++links > kMostLinks) return no_descriptor(why);
        names_.push_front(name);
        continue;
      }
      if (names_.empty()) return fd;
      passed_.push_back(std::move(fd));
    }
    return UniqueFd(::openat(passed_.back().get(), ".", flags));
  }

 private:
  std::optional<fs::path> link_at(const std::string& name) const {
    std::array<char, PATH_MAX> target{};
    const ssize_t size = ::readlinkat(passed_.back().get(), name.c_str(), target.data(), target.size());
    if (size < 0) return std::nullopt;
    return fs::path(std::string(target.data(), static_cast<std::size_t>(size)));
  }

  // Puts the names of a path before those that are left. An absolute path begins again at the root.
  bool put_first(const fs::path& path) {
    std::string_view rest = path.native();
    if (path.is_absolute()) {
      std::error_code ec;
      const fs::path real = fs::canonical(root_path_, ec);
      const bool is_in_real = is_inside(path, real);
      if (!is_in_real && !is_inside(path, root_path_)) {
        errno = EXDEV;
        return false;
      }
      rest.remove_prefix((is_in_real ? real : root_path_).native().size());
      passed_.resize(1);
    }
    std::vector<std::string> names;
    while (!rest.empty()) {
      const auto name = ascii::take_until(rest, '/');
      if (!name.empty() && name != ".") names.emplace_back(name);
    }
    names_.insert(names_.begin(), names.begin(), names.end());
    return true;
  }

  const fs::path& root_path_;
  std::vector<UniqueFd> passed_;  // the root and the directories down to the current one
  std::deque<std::string> names_;
};

}  // namespace

UniqueFd open_root(const fs::path& directory) {
#ifdef O_PATH
  return UniqueFd(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
#else
  return UniqueFd(::open(directory.c_str(), kDirectory));
#endif
}

UniqueFd open_beneath(const UniqueFd& root, const fs::path& root_path, const fs::path& below, int flags,
                      Resolver resolver) {
  if (below.is_absolute() || below.native().find('\0') != std::string::npos) return no_descriptor(EXDEV);
#ifdef SYS_openat2
  if (resolver == Resolver::kernel) {
    open_how how{};
    how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
    const char* path = below.empty() ? "." : below.c_str();
    UniqueFd fd(static_cast<int>(::syscall(SYS_openat2, root.get(), path, &how, sizeof how)));
    // EXDEV: perhaps an absolute link that stays inside; EAGAIN: something was renamed meanwhile.
    if (fd || (errno != EXDEV && errno != ENOSYS && errno != EPERM && errno != EAGAIN)) return fd;
  }
#else
  (void)resolver;
#endif
  return PathWalk(root, root_path).open(below, flags | O_CLOEXEC);
}

}  // namespace memd::files
