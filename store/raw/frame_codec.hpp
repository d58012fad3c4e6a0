#pragma once

#include "schemas/base/result.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

// Byte encoding of a raw frame: numbers and texts of the header, and the compressed content.
namespace memd::raw {

// Encodes little-endian base-128 numbers and length-prefixed texts, as raw frame headers use them. Owns its output. One
// thread at a time.
class ByteWriter {
 public:
  void number(std::uint64_t v) {
    for (; v >= 0x80; v >>= 7)
      out_ += static_cast<char>(v | 0x80);
    out_ += static_cast<char>(v);
  }
  void difference(std::int64_t v) {
    number((static_cast<std::uint64_t>(v) << 1) ^ static_cast<std::uint64_t>(v >> 63));
  }
  void fixed64(std::uint64_t v) {
    for (int i = 0; i < 8; ++i)
      out_ += static_cast<char>(v >> (8 * i));
  }
  void text(std::string_view s) {
    number(s.size());
    out_ += s;
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

// Decodes what ByteWriter encodes. A read past the end makes ok() false and every further value 0. Borrows `in`. One
// thread at a time.
class ByteReader {
 public:
  explicit ByteReader(std::string_view in) : in_(in) {}
  bool ok() const { return ok_; }
  bool at_end() const { return in_.empty(); }
  std::uint64_t number() {
    std::uint64_t v = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (in_.empty()) return fail();
      const auto byte = static_cast<unsigned char>(in_.front());
      in_.remove_prefix(1);
      v |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return v;
    }
    return fail();
  }
  std::int64_t difference() {
    const std::uint64_t v = number();
    return static_cast<std::int64_t>(v >> 1) ^ -static_cast<std::int64_t>(v & 1);
  }
  std::uint64_t fixed64() {
    if (in_.size() < 8) return fail();
    std::uint64_t v = 0;
    for (int i = 0; i < 8; ++i)
      v |= static_cast<std::uint64_t>(static_cast<unsigned char>(in_[static_cast<std::size_t>(i)])) << (8 * i);
    in_.remove_prefix(8);
    return v;
  }
  std::string text() {
    const std::uint64_t n = number();
    if (n > in_.size()) return fail(), std::string();
    std::string out(in_.substr(0, n));
    in_.remove_prefix(n);
    return out;
  }

 private:
  std::uint64_t fail() {
    ok_ = false;
    in_ = {};
    return 0;
  }
  std::string_view in_;
  bool ok_ = true;
};

// zstd level. Level 3 compresses transcripts to 11% at 600 MB/s; level 1 to 13% at 690 MB/s
// (docs/decisions/0005-ingest-speed.md).
inline constexpr int kPackLevel = 3;

// zstd compressor and decompressor with reused contexts. One thread at a time.
class FrameCodec {
 public:
  FrameCodec();
  ~FrameCodec();
  FrameCodec(FrameCodec&&) noexcept;

  std::string pack(std::string_view bytes, int level = kPackLevel);  // one zstd frame that states its content size
  // Errc::io when the frame is damaged or its content is not `bytes` long. The result has `padding` zero bytes after
  // the content.
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
