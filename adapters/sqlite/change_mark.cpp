#include "adapters/sqlite/change_mark.hpp"

#include "schemas/hash.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace memd::sqlite {
namespace {

// https://sqlite.org/fileformat2.html, https://sqlite.org/walformat.html
constexpr std::string_view kMagic{"SQLite format 3\0", 16};
constexpr std::uint64_t kHeader = 100;
constexpr std::uint64_t kLogHeader = 32;    // magic, version, page size, checkpoint number, salts, checksums
constexpr std::uint64_t kIndexHeader = 48;  // one copy of WalIndexHdr: counter, last frame, its checksum, salts
constexpr std::size_t kWriteVersion = 18;   // 2 for WAL
constexpr std::size_t kChangeCounter = 24;

void append(std::string& mark, std::uint64_t number) {
  char digits[16];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), number, 16).ptr;
  if (!mark.empty()) mark.push_back('.');
  mark.append(std::begin(digits), end);
}

// Of a file that may not be there: its size, the time of writing and its first bytes.
void append_companion(const FileView& files, const std::string& path, std::uint64_t bytes, bool timed,
                      std::string& mark) {
  const auto entry = files.stat(path);
  if (!entry) {
    mark.append(".-");
    return;
  }
  const auto head = files.read(path, 0, bytes);
  append(mark, entry->size);
  append(mark, head ? hash64(*head) : 0);
  if (timed) append(mark, static_cast<std::uint64_t>(entry->mtime_ns));
}

}  // namespace

Result<std::string> change_mark(const FileView& files, const std::string& path) {
  const auto entry = files.stat(path);
  if (!entry) return Error(Errc::not_found, path);
  MEMD_TRY_ASSIGN(const std::string header, files.read(path, 0, kHeader));
  std::uint64_t counter = 0;
  for (std::size_t i = kChangeCounter; i < kChangeCounter + 4 && i < header.size(); ++i)
    counter = counter << 8 | static_cast<unsigned char>(header[i]);
  std::string mark;
  append(mark, counter);
  append(mark, entry->size);
  append(mark, static_cast<std::uint64_t>(entry->mtime_ns));
  append_companion(files, path + "-wal", kLogHeader, true, mark);
  // Each commit changes the head of the index, even where the log is overwritten in place within one tick of the
  // clock. Readers write to it elsewhere.
  append_companion(files, path + "-shm", kIndexHeader, false, mark);
  return mark;
}

Result<FileState> file_state(const FileView& files, const std::string& path) {
  if (!files.stat(path)) return Error(Errc::not_found, path);
  MEMD_TRY_ASSIGN(const std::string header, files.read(path, 0, kHeader));
  FileState state;
  state.is_database = header.empty() || header.starts_with(kMagic);
  state.write_ahead = header.size() == kHeader && header[kWriteVersion] == 2;
  const auto log = files.stat(path + "-wal");
  state.has_log = log && log->size > 0;
  state.has_index = files.stat(path + "-shm").has_value();
  if (const auto journal = files.stat(path + "-journal"); journal && journal->size > 0) {
    // In persist mode the journal stays behind with its head zeroed.
    const auto head = files.read(path + "-journal", 0, 8);
    state.has_journal = !head || std::any_of(head->begin(), head->end(), [](char c) { return c != 0; });
  }
  return state;
}

}  // namespace memd::sqlite
