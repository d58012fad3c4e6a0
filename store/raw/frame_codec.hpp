#pragma once

#include "schemas/error.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace memd::raw {

// Level 3 packs transcripts to 11% at 600 MB/s; level 1 to 13% at 690 MB/s (docs/benchmarks.md).
inline constexpr int kPackLevel = 3;

// zstd with contexts that are kept. One thread at a time.
class FrameCodec {
 public:
  FrameCodec();
  ~FrameCodec();
  FrameCodec(FrameCodec&&) noexcept;

  std::string pack(std::string_view bytes, int level = kPackLevel);  // one zstd frame that states its content's size
  // Errc::io when the frame is damaged or holds another number of bytes.
  Result<std::string> unpack(std::string_view frame, std::uint64_t bytes, std::size_t padding = 0);

 private:
  struct Free {
    void operator()(ZSTD_CCtx_s* c) const noexcept;
    void operator()(ZSTD_DCtx_s* d) const noexcept;
  };
  std::unique_ptr<ZSTD_CCtx_s, Free> packer_;
  std::unique_ptr<ZSTD_DCtx_s, Free> unpacker_;
};

}  // namespace memd::raw
