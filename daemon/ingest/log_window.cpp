#include "daemon/ingest/log_window.hpp"

#include "adapters/adapter.hpp"

#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <new>
#include <utility>

namespace memd {
namespace {

constexpr std::size_t kPiece = 128 << 10;
constexpr int kLargestWindowLog = 25;  // 32 MiB; agents write 2 MiB

}  // namespace

void ZstdLog::Closer::operator()(ZSTD_DCtx_s* context) const noexcept { ZSTD_freeDCtx(context); }

ZstdLog::ZstdLog(SourceFile file) : file_(std::move(file)), context_(ZSTD_createDCtx()), input_(kPiece) {
  if (!context_) throw std::bad_alloc();
  ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, kLargestWindowLog);
  out_.resize(kRecordPadding);
}

ZstdLog::~ZstdLog() = default;

void ZstdLog::start_over() {
  ZSTD_DCtx_reset(context_.get(), ZSTD_reset_session_only);
  input_at_ = input_end_ = filled_ = 0;
  file_at_ = base_ = 0;
  in_frame_ = output_was_full_ = false;
  end_ = End::ahead;
}

void ZstdLog::drop_before(std::uint64_t offset) {
  const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(offset - base_, filled_));
  if (n == 0) return;
  std::memmove(out_.data(), out_.data() + n, filled_ - n);
  filled_ -= n;
  base_ += n;
}

Result<void> ZstdLog::decompress_more() {
  if (input_at_ == input_end_ && !output_was_full_) {
    MEMD_TRY_ASSIGN(input_end_, file_.read_at(file_at_, input_));
    input_at_ = 0;
    file_at_ += input_end_;
    if (input_end_ == 0) {
      end_ = in_frame_ ? End::cut_off : End::whole;
      return {};
    }
  }
  if (out_.size() < filled_ + kPiece + kRecordPadding) out_.resize(filled_ + kPiece + kRecordPadding);
  ZSTD_outBuffer output{out_.data() + filled_, kPiece, 0};
  ZSTD_inBuffer input{input_.data() + input_at_, input_end_ - input_at_, 0};
  const std::size_t left = ZSTD_decompressStream(context_.get(), &output, &input);
  filled_ += output.pos;
  input_at_ += input.pos;
  output_was_full_ = output.pos == output.size;
  if (ZSTD_isError(left) != 0) {
    const bool at_start = file_at_ == input_end_ && !in_frame_ && decompressed() == 0;
    end_ = at_start && ZSTD_getErrorCode(left) == ZSTD_error_prefix_unknown ? End::not_zstd : End::damaged;
    return {};
  }
  // Without input no new frame can begin; only buffered output of the current one appears.
  if (input.pos > 0 || output.pos > 0) in_frame_ = left != 0;
  return {};
}

Result<std::string_view> ZstdLog::at(std::uint64_t offset, std::size_t want) {
  if (offset < base_) start_over();
  while (end_ == End::ahead && decompressed() < offset) {
    drop_before(decompressed());
    MEMD_TRY(decompress_more());
  }
  drop_before(offset);
  while (end_ == End::ahead && filled_ < want)
    MEMD_TRY(decompress_more());
  const std::size_t n = base_ < offset ? 0 : std::min(filled_, want);
  if (n == filled_) std::memset(out_.data() + n, 0, kRecordPadding);
  return std::string_view(out_.data(), n);
}

std::uint64_t ZstdLog::compressed_left() const {
  const std::uint64_t size = file_.stat().size;
  return size > file_at_ ? size - file_at_ : 0;
}

bool is_zstd_name(std::string_view path) { return path.ends_with(".zst"); }

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
  return read_log_bytes(std::move(file), path, offset, length);
}

Result<std::string> read_log_bytes(SourceFile file, std::string_view name, std::uint64_t offset, std::size_t length) {
  if (is_zstd_name(name)) {
    ZstdLog log(std::move(file));
    MEMD_TRY_ASSIGN(const std::string_view bytes, log.at(offset, length));
    return std::string(bytes);
  }
  std::vector<char> buffer;
  PlainWindow window(file, buffer);
  MEMD_TRY_ASSIGN(const std::string_view bytes, window.at(offset, length));
  return std::string(bytes);
}

namespace {

constexpr std::size_t kMostOpen = 4;
constexpr std::string_view kEndMark = "read to its end at ";

bool same_state(const FileStat& a, const FileStat& b) {
  return a.device == b.device && a.inode == b.inode && a.size == b.size && a.mtime == b.mtime &&
         a.changed_ns == b.changed_ns;
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
