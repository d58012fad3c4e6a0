#include "daemon/ingest/zstd_log.hpp"

#include "adapters/adapter.hpp"

#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
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
  // Without input nothing new can begin: what was in the frame may still come out.
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

}  // namespace memd
