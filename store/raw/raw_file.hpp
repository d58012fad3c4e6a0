#pragma once

#include "schemas/error.hpp"
#include "store/raw/raw_frame.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::raw {

// A file seen as memory, for reading. Owns the mapping; every thread may read it.
class MappedFile {
 public:
  static Result<MappedFile> open(const std::filesystem::path& path);  // Errc::not_found, Errc::io
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;
  std::string_view bytes() const { return {data_, size_}; }

 private:
  MappedFile(const char* data, std::size_t size) : data_(data), size_(size) {}
  const char* data_;
  std::size_t size_;
};

struct FrameAt {
  std::uint64_t offset = 0;  // in the file
  ParsedFrame frame;
};

// The frames of a raw file, in order. Damaged stretches are passed over and counted.
struct RawScan {
  std::vector<FrameAt> frames;
  std::uint64_t damaged_bytes = 0;
  std::uint64_t intact_end = 0;  // behind the last whole frame
};
RawScan scan_frames(std::string_view file);

// Writes `bytes` at `offset`, where the file is cut first; creates it (0600) and its directory (0700).
// Returns Errc::io with what was wrong; `shorter` is set when the file ended before `offset`.
Result<void> write_at(const std::filesystem::path& path, std::uint64_t offset, std::string_view bytes, bool& shorter);

// Puts a new content in the place of a file in one step; the first `keep` bytes are the old file's.
Result<void> replace_file(const std::filesystem::path& path, std::uint64_t keep, std::string_view tail);

// Every file of the raw layer, by name relative to `directory`, sorted.
std::vector<std::string> raw_file_names(const std::filesystem::path& directory);

}  // namespace memd::raw
