#include "daemon/ingest/log_window.hpp"

#include "adapters/adapter.hpp"

#include <algorithm>
#include <cstring>

namespace memd {

Result<std::string_view> PlainWindow::at(std::uint64_t offset, std::size_t want) {
  const std::uint64_t size = file_.stat().size;
  want = static_cast<std::size_t>(offset < size ? std::min<std::uint64_t>(want, size - offset) : 0);
  std::size_t kept = 0;
  if (offset >= base_ && offset < base_ + filled_) {
    const auto skipped = static_cast<std::size_t>(offset - base_);
    kept = filled_ - skipped;
    if (skipped > 0) std::memmove(buffer_.data(), buffer_.data() + skipped, kept);
  }
  base_ = offset;
  filled_ = kept;
  if (buffer_.size() < want + kRecordPadding) buffer_.resize(want + kRecordPadding);
  if (kept < want) {
    MEMD_TRY_ASSIGN(const std::size_t n, file_.read_at(offset + kept, std::span(buffer_).subspan(kept, want - kept)));
    filled_ = kept + n;
  }
  const std::size_t n = std::min(filled_, want);
  if (n == filled_) std::memset(buffer_.data() + n, 0, kRecordPadding);
  return std::string_view(buffer_.data(), n);
}

Result<std::string> read_log_bytes(const std::string& path, std::uint64_t offset, std::size_t length) {
  MEMD_TRY_ASSIGN(SourceFile file, SourceFile::open(path));
  if (is_zstd_name(path)) {
    ZstdLog log(std::move(file));
    MEMD_TRY_ASSIGN(const std::string_view bytes, log.at(offset, length));
    return std::string(bytes);
  }
  std::vector<char> buffer;
  PlainWindow window(file, buffer);
  MEMD_TRY_ASSIGN(const std::string_view bytes, window.at(offset, length));
  return std::string(bytes);
}

}  // namespace memd
