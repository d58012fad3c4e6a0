#include "store/files/scope_root.hpp"

#include "schemas/base/error.hpp"
#include "store/files/beneath.hpp"
#include "store/files/system_calls.hpp"
#include "store/files/whole_file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace memd::files {
namespace fs = std::filesystem;
namespace {

constexpr int kToRead = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
constexpr int kToList = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

enum class Kind : std::uint8_t { directory, link, file, other };

// Returns the kind of an entry without following a link; nullopt: it is gone.
std::optional<Kind> kind_of(int directory, const dirent& entry) {
  switch (entry.d_type) {
    case DT_REG: return Kind::file;
    case DT_DIR: return Kind::directory;
    case DT_LNK: return Kind::link;
    case DT_UNKNOWN: break;
    default: return Kind::other;
  }
  struct stat st {};
  if (::fstatat(directory, entry.d_name, &st, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  if (S_ISDIR(st.st_mode)) return Kind::directory;
  if (S_ISLNK(st.st_mode)) return Kind::link;
  return S_ISREG(st.st_mode) ? Kind::file : Kind::other;
}

struct Name {
  std::string name;
  Kind kind;
};

// Returns the entries of a directory, sorted. The directory is closed then.
std::vector<Name> names_in(UniqueFd directory) {
  std::vector<Name> out;
  const int fd = directory.get();
  const std::unique_ptr<DIR, int (*)(DIR*)> list(::fdopendir(fd), ::closedir);
  if (!list) return out;
  (void)directory.release();
  while (const dirent* entry = ::readdir(list.get())) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (const auto kind = kind_of(fd, *entry)) out.push_back({std::string(name), *kind});
  }
  std::sort(out.begin(), out.end(), [](const Name& a, const Name& b) { return a.name < b.name; });
  return out;
}

std::optional<FileFacts> facts_of(const struct stat& st) {
  if (!S_ISREG(st.st_mode)) return std::nullopt;
  const timespec changed = inode_changed_at(st);
  return FileFacts{static_cast<std::int64_t>(st.st_size),
                   static_cast<std::int64_t>(changed.tv_sec) * 1'000'000'000 + changed.tv_nsec,
                   static_cast<std::int64_t>(st.st_ino)};
}

void sort_by_bytes(std::vector<fs::path>& paths) {  // std::filesystem compares component by component
  std::sort(paths.begin(), paths.end(), [](const fs::path& a, const fs::path& b) { return a.native() < b.native(); });
}

}  // namespace

ScopeRoot::ScopeRoot(fs::path base, const fs::path& below, Links links) {
  fs::path directory = below.empty() ? base : base / below;
  if (!directory.has_filename() && directory.has_relative_path()) directory = directory.parent_path();
  way_ = std::make_shared<const Way>(Way{std::move(base), below, std::move(directory), links});
}

const fs::path& ScopeRoot::directory() const {
  static const fs::path kNone;
  return way_ ? way_->directory : kNone;
}

// Returns the path relative to the directory; nullopt if it is not in it by its names.
std::optional<fs::path> ScopeRoot::inside(const fs::path& path) const {
  if (!way_ || way_->directory.empty()) return std::nullopt;
  fs::path out = path;
  if (path.is_absolute()) {
    const std::string& root = way_->directory.native();
    const std::string& all = path.native();
    if (!all.starts_with(root) || (all.size() > root.size() && all[root.size()] != '/' && root != "/"))
      return std::nullopt;
    std::string_view rest = std::string_view(all).substr(root.size());
    while (rest.starts_with('/'))
      rest.remove_prefix(1);
    out = fs::path(rest);
  }
  for (const fs::path& name : out)
    if (name == "..") return std::nullopt;
  return out;
}

Error ScopeRoot::refused(const fs::path& path) const {
  const int err = errno;
  if (err == EXDEV || err == ELOOP)
    return Error(Errc::permission, (directory() / path).string() + " is not opened: a link leads out of " +
                                       directory().string() + ". Put the file itself there");
  Error error = Error::from_errno(err, "open", (directory() / path).string());
  if (err == ENOENT || err == ENOTDIR) error.code = make_error_code(Errc::not_found);
  return error;
}

Result<UniqueFd> ScopeRoot::open(const fs::path& relative, int flags) const {
  const UniqueFd base = open_root(way_->base);
  if (!base) return refused({});
  if (way_->below.empty()) {
    UniqueFd fd = open_beneath(base, way_->directory, relative, flags);
    return fd ? Result<UniqueFd>(std::move(fd)) : refused(relative);
  }
  const UniqueFd root = open_beneath(base, way_->base, way_->below, kToList);
  if (!root) return refused({});
  UniqueFd fd = open_beneath(root, way_->directory, relative, flags);
  return fd ? Result<UniqueFd>(std::move(fd)) : refused(relative);
}

Result<UniqueFd> ScopeRoot::open_to_read(const fs::path& file) const {
  const auto relative = inside(file);
  if (!relative) return Error(Errc::permission, file.string() + " is not in " + directory().string());
  auto fd = open(*relative, kToRead);
  if (fd || way_->links == Links::inside || !fd.error().is(Errc::permission)) return fd;
  UniqueFd led(::open((way_->directory / *relative).c_str(), kToRead));
  struct stat st {};
  if (!led || ::fstat(led.get(), &st) != 0 || st.st_uid != ::geteuid())
    return Error(Errc::permission, (way_->directory / *relative).string() +
                                       " is not read: it is a link to a file of another user, or to none");
  return led;
}

// Opens a directory. Makes what is missing on the way, each below the one before.
Result<UniqueFd> ScopeRoot::open_directory(const fs::path& relative, Missing missing) const {
  auto fd = open(relative, kToList);
  if (fd || missing == Missing::refuse || !fd.error().is(Errc::not_found)) return fd;
  MEMD_TRY(make_directories(way_->base));
  const UniqueFd base = open_root(way_->base);
  if (!base) return refused({});
  UniqueFd at;
  const auto make_in = [](const UniqueFd& root, const fs::path& root_path, const fs::path& way) -> UniqueFd {
    UniqueFd parent = open_beneath(root, root_path, {}, kToList);
    fs::path reached;
    for (const fs::path& name : way) {
      if (!parent) break;
      reached /= name;
      UniqueFd next = open_beneath(root, root_path, reached, kToList);
      if (!next && errno == ENOENT && (::mkdirat(parent.get(), name.c_str(), 0700) == 0 || errno == EEXIST)) {
        if (is_of_group(parent.get())) ::fchmodat(parent.get(), name.c_str(), 02770, 0);
        sync_to_disk(parent.get());  // a file in the new directory may be promised to be on disk
        next = open_beneath(root, root_path, reached, kToList);
      }
      parent = std::move(next);
    }
    return parent;
  };
  UniqueFd root = make_in(base, way_->base, way_->below);
  if (!root) return refused({});
  UniqueFd made = make_in(root, way_->directory, relative);
  if (!made) return refused(relative);
  return made;
}

Result<DirectoryEntry> ScopeRoot::entry(const fs::path& file, Missing missing) const {
  const auto relative = inside(file);
  if (!relative || !relative->has_filename())
    return Error(Errc::permission, file.string() + " is no file in " + directory().string());
  MEMD_TRY_ASSIGN(UniqueFd parent, open_directory(relative->parent_path(), missing));
  return DirectoryEntry(std::move(parent), way_->directory / *relative);
}

Result<std::string> ScopeRoot::read(const fs::path& file, std::size_t most) const {
  MEMD_TRY_ASSIGN(const UniqueFd fd, open_to_read(file));
  return read_regular(fd.get(), most, file.is_absolute() ? file : directory() / file);
}

// Returns what a name stands for, without following a link in its place.
std::optional<struct stat> ScopeRoot::look(const fs::path& file) const {
  const auto relative = inside(file);
  if (!relative || !relative->has_filename()) return std::nullopt;
  const fs::path above = relative->parent_path();
  const bool is_in_base = way_->below.empty() && above.empty();
  UniqueFd parent = is_in_base ? open_root(way_->base) : UniqueFd();
  if (!is_in_base)
    if (auto opened = open(above, kToList)) parent = *std::move(opened);
  struct stat st {};
  if (!parent || ::fstatat(parent.get(), relative->filename().c_str(), &st, AT_SYMLINK_NOFOLLOW) != 0)
    return std::nullopt;
  return st;
}

std::optional<FileFacts> ScopeRoot::facts(const fs::path& file) const {
  auto st = look(file);
  if (!st || !S_ISLNK(st->st_mode)) return st ? facts_of(*st) : std::nullopt;
  const auto fd = open_to_read(file);
  if (!fd || ::fstat(fd->get(), &*st) != 0) return std::nullopt;
  return facts_of(*st);
}

bool ScopeRoot::has(const fs::path& file) const { return look(file).has_value(); }

bool ScopeRoot::has_file(const fs::path& file) const {
  const auto st = look(file);
  return st && !S_ISDIR(st->st_mode) && (!S_ISLNK(st->st_mode) || !has_directory(file));
}

bool ScopeRoot::has_directory(const fs::path& directory) const {
  const auto relative = inside(directory);
  return relative && open(*relative, kToList);
}

std::vector<std::string> ScopeRoot::names(const fs::path& directory, std::string_view ending) const {
  std::vector<std::string> out;
  const auto relative = inside(directory);
  if (!relative) return out;
  auto fd = open(*relative, kToList);
  if (!fd) return out;
  for (Name& one : names_in(*std::move(fd)))
    if (one.name.ends_with(ending)) out.push_back(std::move(one.name));
  return out;
}

template <class Take>
void ScopeRoot::walk(const fs::path& in, int depth, Take take) const {
  auto fd = open(in, kToList);
  if (!fd) return;
  for (const Name& one : names_in(*std::move(fd))) {
    const fs::path path = in / one.name;
    if (take(path, one) && one.kind == Kind::directory && depth > 1) walk(path, depth - 1, take);
  }
}

std::vector<fs::path> ScopeRoot::files(const fs::path& directory, std::string_view ending, int depth) const {
  std::vector<fs::path> out;
  const auto relative = inside(directory);
  if (!relative) return out;
  walk(*relative, std::min(depth, kMostDepth), [&](const fs::path& path, const Name& one) {
    const bool is_linked_directory = one.kind == Kind::link && has_directory(path);
    const bool is_hidden = one.name.starts_with('.');
    if (!is_hidden && one.kind != Kind::directory && !is_linked_directory && one.name.ends_with(ending))
      out.push_back(way_->directory / path);
    return !is_hidden;
  });
  sort_by_bytes(out);
  return out;
}

std::vector<fs::path> ScopeRoot::directories(const fs::path& directory) const {
  std::vector<fs::path> out;
  if (!has_directory(directory)) return out;
  const auto relative = inside(directory);
  out.push_back(relative->empty() ? way_->directory : way_->directory / *relative);
  walk(*relative, kMostDepth, [&](const fs::path& path, const Name& one) {
    const bool is_shown = one.kind == Kind::directory && !one.name.starts_with('.');
    if (is_shown) out.push_back(way_->directory / path);
    return is_shown;
  });
  sort_by_bytes(out);
  return out;
}

Result<void> ScopeRoot::write(const fs::path& file, std::string_view bytes, OnDisk on_disk) const {
  return write(file, {&bytes, 1}, on_disk);
}

Result<void> ScopeRoot::write(const fs::path& file, std::span<const std::string_view> pieces, OnDisk on_disk) const {
  MEMD_TRY_ASSIGN(const DirectoryEntry to, entry(file, Missing::make));
  return to.write(pieces, on_disk);
}

Result<void> ScopeRoot::create(const fs::path& file, std::string_view bytes, OnDisk on_disk) const {
  MEMD_TRY_ASSIGN(const DirectoryEntry to, entry(file, Missing::make));
  return to.create(bytes, on_disk);
}

Result<std::optional<std::string>> ScopeRoot::replace(const fs::path& file, std::string_view expected,
                                                      std::string_view bytes, OnDisk on_disk) const {
  MEMD_TRY_ASSIGN(const DirectoryEntry to, entry(file, Missing::refuse));
  return to.replace(expected, bytes, on_disk, kMostTextBytes);
}

Result<void> ScopeRoot::move(const fs::path& from, const fs::path& to, OnDisk on_disk) const {
  MEMD_TRY_ASSIGN(const DirectoryEntry old, entry(from, Missing::refuse));
  MEMD_TRY_ASSIGN(const DirectoryEntry wanted, entry(to, Missing::make));
  return old.move(wanted, on_disk);
}

Result<void> ScopeRoot::remove(const fs::path& file) const {
  MEMD_TRY_ASSIGN(const DirectoryEntry old, entry(file, Missing::refuse));
  return old.remove();
}

Result<FileLock> ScopeRoot::lock(const fs::path& file) const {
  MEMD_TRY_ASSIGN(const DirectoryEntry to, entry(file, Missing::make));
  return to.lock(FileLock::kPatience);
}

void ScopeRoot::tidy() const {
  if (!way_) return;
  walk({}, kMostDepth, [&](const fs::path& path, const Name& one) {
    if (one.kind == Kind::file && is_of_dead_process(one.name, DirectoryEntry::kNewPrefix, {})) (void)remove(path);
    return true;
  });
}

}  // namespace memd::files
