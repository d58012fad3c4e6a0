#pragma once

#include "daemon/ingest/source_file.hpp"
#include "daemon/ingest/zstd_log.hpp"
#include "schemas/error.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

// A window that is moved over a log's bytes, whichever way the file holds them. One thread.
class LogWindow {
 public:
  virtual ~LogWindow() = default;
  // The bytes [offset, offset + want): less only at the end. kRecordPadding readable bytes follow. Valid until the next
  // call. Bytes that were in the last window are not read again.
  virtual Result<std::string_view> at(std::uint64_t offset, std::size_t want) = 0;
  // Whether the log is known to end at `offset` (or before).
  virtual bool ends_at(std::uint64_t offset) const = 0;
};

// Over a file as it was when it was opened. `buffer` is the caller's, so that it is kept from file to file.
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

// Some bytes of a log by their place, which in a compressed one counts decompressed bytes. Less only at the end.
Result<std::string> read_log_bytes(const std::string& path, std::uint64_t offset, std::size_t length);

}  // namespace memd
