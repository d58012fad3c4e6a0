#pragma once

#include "daemon/ingest/source_file.hpp"
#include "schemas/error.hpp"

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

struct ZSTD_DCtx_s;

namespace memd {

// The decompressed bytes of a zstd file, read forwards in a stream: memory is bounded by what is asked for and the
// frame's window, whatever the size of the file. A jump backwards starts over. One thread.
class ZstdLog {
 public:
  explicit ZstdLog(SourceFile file);
  ~ZstdLog();
  ZstdLog(const ZstdLog&) = delete;
  ZstdLog& operator=(const ZstdLog&) = delete;

  // The decompressed bytes [offset, offset + want): less only at the end of what can be had. kRecordPadding readable
  // bytes follow. Valid until the next call.
  Result<std::string_view> at(std::uint64_t offset, std::size_t want);

  enum class End {
    ahead,     // not come to yet
    whole,     // of the last frame
    cut_off,   // in the middle of a frame: truncated, or still being written
    damaged,   // the rest cannot be decompressed
    not_zstd,  // no zstd file from its first byte on
  };
  End end() const { return end_; }
  std::uint64_t decompressed() const { return base_ + filled_; }  // bytes so far; all of them at the end
  std::uint64_t compressed_left() const;                          // bytes of the file not looked at yet
  const SourceFile& file() const { return file_; }

 private:
  struct Closer {
    void operator()(ZSTD_DCtx_s* context) const noexcept;
  };
  void start_over();
  void drop_before(std::uint64_t offset);
  Result<void> decompress_more();

  SourceFile file_;
  std::unique_ptr<ZSTD_DCtx_s, Closer> context_;
  std::vector<char> input_;
  std::size_t input_at_ = 0;
  std::size_t input_end_ = 0;
  std::uint64_t file_at_ = 0;
  bool in_frame_ = false;
  bool output_was_full_ = false;
  std::vector<char> out_;  // decompressed bytes from base_ on, filled_ of them, and padding
  std::size_t filled_ = 0;
  std::uint64_t base_ = 0;
  End end_ = End::ahead;
};

// By its name; what is in it may prove that wrong.
bool is_zstd_name(std::string_view path);

}  // namespace memd
