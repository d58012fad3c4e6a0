#include "store/raw/frame_codec.hpp"
#include "schemas/base/error.hpp"

#include <zstd.h>

#include <new>

namespace memd::raw {

void FrameCodec::Free::operator()(ZSTD_CCtx_s* c) const noexcept { ZSTD_freeCCtx(c); }
void FrameCodec::Free::operator()(ZSTD_DCtx_s* d) const noexcept { ZSTD_freeDCtx(d); }

FrameCodec::FrameCodec() = default;
FrameCodec::~FrameCodec() = default;
FrameCodec::FrameCodec(FrameCodec&&) noexcept = default;

std::string FrameCodec::pack(std::string_view bytes, int level) {
  if (!packer_) packer_.reset(ZSTD_createCCtx());
  if (!packer_) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(packer_.get(), ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(packer_.get(), ZSTD_c_checksumFlag, 1);
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t n = ZSTD_compress2(packer_.get(), out.data(), out.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(n) != 0) throw ErrorException(Error(Errc::io, std::string("zstd: ") + ZSTD_getErrorName(n)));
  out.resize(n);
  out.shrink_to_fit();  // the frame is kept in queues
  return out;
}

Result<std::string> FrameCodec::unpack(std::string_view frame, std::uint64_t bytes, std::size_t padding) {
  if (ZSTD_getFrameContentSize(frame.data(), frame.size()) != bytes)
    return Error(Errc::io, "the original records: a frame is not what its header says");
  if (!unpacker_) unpacker_.reset(ZSTD_createDCtx());
  if (!unpacker_) throw std::bad_alloc();
  std::string out(bytes + padding, '\0');
  const std::size_t n = ZSTD_decompressDCtx(unpacker_.get(), out.data(), bytes, frame.data(), frame.size());
  if (ZSTD_isError(n) != 0 || n != bytes)
    return Error(Errc::io,
                 std::string("the original records: ") + (ZSTD_isError(n) != 0 ? ZSTD_getErrorName(n) : "short"));
  return out;
}

}  // namespace memd::raw
