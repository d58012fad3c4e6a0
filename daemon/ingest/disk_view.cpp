#include "daemon/ingest/disk_view.hpp"

#include "daemon/ingest/source_file.hpp"

#include <sys/stat.h>
#include <algorithm>
#include <filesystem>
#include <system_error>

namespace memd {

std::optional<FileView::Entry> DiskView::stat(const std::string& path) const {
  struct ::stat st {};
  if (::stat(path.c_str(), &st) != 0) return std::nullopt;
#ifdef __APPLE__
  const auto& changed = st.st_mtimespec;
#else
  const auto& changed = st.st_mtim;
#endif
  Entry e;
  e.path = path;
  e.is_directory = S_ISDIR(st.st_mode);
  e.device = st.st_dev;
  e.inode = st.st_ino;
  e.size = static_cast<std::uint64_t>(st.st_size);
  e.mtime = static_cast<TimeMs>(changed.tv_sec) * 1000 + changed.tv_nsec / 1'000'000;
  e.mtime_ns = static_cast<std::int64_t>(changed.tv_sec) * 1'000'000'000 + changed.tv_nsec;
  return e;
}

Result<std::string> DiskView::read(const std::string& path, std::uint64_t offset, std::uint64_t length) const {
  MEMD_TRY_ASSIGN(const SourceFile file, SourceFile::open(path));
  const std::uint64_t size = file.stat().size;
  std::string bytes(static_cast<std::size_t>(offset >= size ? 0 : std::min(length, size - offset)), '\0');
  MEMD_TRY_ASSIGN(const std::size_t n, file.read_at(offset, bytes));
  bytes.resize(n);
  return bytes;
}

std::vector<FileView::Entry> DiskView::list(const std::string& directory) const {
  std::vector<Entry> out;
  std::error_code ec;
  for (std::filesystem::directory_iterator it(directory, ec), end; !ec && it != end; it.increment(ec))
    if (auto entry = stat(it->path().string())) out.push_back(std::move(*entry));
  std::sort(out.begin(), out.end(), [](const Entry& a, const Entry& b) { return a.path < b.path; });
  return out;
}

}  // namespace memd
