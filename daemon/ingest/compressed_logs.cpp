#include "daemon/ingest/compressed_logs.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace memd {
namespace {

constexpr std::size_t kMostOpen = 4;
constexpr std::string_view kEndMark = "read to its end at ";

bool same_state(const FileStat& a, const FileStat& b) {
  return a.device == b.device && a.inode == b.inode && a.size == b.size && a.mtime == b.mtime;
}

}  // namespace

bool CompressedLogs::has_room_for(std::string_view path) const {
  return open_.size() < kMostOpen ||
         std::any_of(open_.begin(), open_.end(), [&](const Open& o) { return o.path == path; });
}

ZstdLog& CompressedLogs::open(const std::string& path, SourceFile file) {
  const auto it = std::find_if(open_.begin(), open_.end(), [&](const Open& o) { return o.path == path; });
  if (it != open_.end() && same_state(it->log->file().stat(), file.stat())) return *it->log;
  if (it != open_.end()) open_.erase(it);
  return *open_.emplace_back(path, std::make_unique<ZstdLog>(std::move(file))).log;
}

void CompressedLogs::close(std::string_view path) {
  open_.remove_if([&](const Open& o) { return o.path == path; });
}

std::string end_mark(std::uint64_t file_size) { return std::string(kEndMark) + std::to_string(file_size); }

std::uint64_t size_at_end(std::string_view mark) {
  if (!mark.starts_with(kEndMark)) return 0;
  mark.remove_prefix(kEndMark.size());
  std::uint64_t size = 0;
  std::from_chars(mark.data(), mark.data() + mark.size(), size);
  return size;
}

}  // namespace memd
