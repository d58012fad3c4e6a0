#pragma once

#include "daemon/ingest/source_file.hpp"
#include "schemas/base/result.hpp"

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct ZSTD_DCtx_s;

namespace memd {

// A forward stream of the decompressed bytes of a zstd file. A backward jump restarts it. Memory depends on the
// requested length and the frame's window, not on the size of the file. Owns the file. One thread.
class ZstdLog {
 public:
  explicit ZstdLog(SourceFile file);
  ~ZstdLog();
  ZstdLog(const ZstdLog&) = delete;
  ZstdLog& operator=(const ZstdLog&) = delete;

  // Returns the decompressed bytes [offset, offset + want), fewer only at the end of the available data. kRecordPadding
  // readable bytes follow. Valid until the next call.
  Result<std::string_view> at(std::uint64_t offset, std::size_t want);

  enum class End {
    ahead,     // not reached yet
    whole,     // at the end of the last frame
    cut_off,   // in the middle of a frame: truncated, or still being written
    damaged,   // the rest cannot be decompressed
    not_zstd,  // not a zstd file, from its first byte on
  };
  End end() const { return end_; }
  std::uint64_t decompressed() const { return base_ + filled_; }  // bytes so far; all of them at the end
  std::uint64_t compressed_left() const;                          // bytes of the file not read yet
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

// Judges by the name only.
bool is_zstd_name(std::string_view path);

// A movable window over a log's bytes, independent of how the file stores them. One thread.
class LogWindow {
 public:
  virtual ~LogWindow() = default;
  // Returns the bytes [offset, offset + want), fewer only at the end. kRecordPadding readable bytes follow. Valid until
  // the next call. Bytes of the previous window are not read again.
  virtual Result<std::string_view> at(std::uint64_t offset, std::size_t want) = 0;
  // Whether the log is known to end at `offset` (or before).
  virtual bool ends_at(std::uint64_t offset) const = 0;
};

// A window over a plain file. Bytes that were appended after it was opened are not seen. The file and the buffer belong
// to the caller, who keeps the buffer from file to file. One thread.
class PlainWindow final : public LogWindow {
 public:
  PlainWindow(const SourceFile& file, std::vector<char>& buffer) : file_(file), buffer_(buffer) {}
  Result<std::string_view> at(std::uint64_t offset, std::size_t want) override;
  bool ends_at(std::uint64_t offset) const override { return offset >= file_.stat().size; }

 private:
  const SourceFile& file_;
  std::vector<char>& buffer_;
  std::uint64_t base_ = 0;
  std::size_t filled_ = 0;
};

// A window over the decompressed bytes of a log. Borrows `log`. Reading thread only.
class ZstdWindow final : public LogWindow {
 public:
  explicit ZstdWindow(ZstdLog& log) : log_(log) {}
  Result<std::string_view> at(std::uint64_t offset, std::size_t want) override { return log_.at(offset, want); }
  bool ends_at(std::uint64_t offset) const override {
    return log_.end() != ZstdLog::End::ahead && offset >= log_.decompressed();
  }

 private:
  ZstdLog& log_;
};

// Reads bytes of a log, fewer only at the end. In a compressed log `offset` and `length` count decompressed bytes.
Result<std::string> read_log_bytes(SourceFile file, std::string_view name, std::uint64_t offset, std::size_t length);
Result<std::string> read_log_bytes(const std::string& path, std::uint64_t offset, std::size_t length);

// The open streams of compressed sources. They stay open between slices because a compressed file can only be read from
// its start. At most four are open; another source waits until one is closed. One thread.
class CompressedLogs {
 public:
  bool has_room_for(std::string_view path) const;
  // Returns the stream over the file, a new one when the file has changed. Valid until it is closed.
  ZstdLog& open(const std::string& path, SourceFile file);
  void close(std::string_view path);

 private:
  struct Open {
    std::string path;
    std::unique_ptr<ZstdLog> log;
  };
  std::list<Open> open_;
};

// The value of Source::mark for a compressed source: the size of the file when it was read to its end.
std::string end_mark(std::uint64_t file_size);
std::uint64_t size_at_end(std::string_view mark);  // 0: not read to its end

}  // namespace memd
