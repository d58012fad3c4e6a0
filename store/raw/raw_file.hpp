#pragma once

#include "schemas/error.hpp"
#include "store/raw/frame_seal.hpp"
#include "store/raw/raw_frame.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memd::raw {

// The bytes of a file, or a stretch of them, in memory of their own: a file that gets shorter meanwhile, or a disk that
// fails, is an error and no signal, as it would be of a mapping. Every thread may read it.
class FileBytes {
 public:
  // Errc::not_found, Errc::io. What the file does not have of the stretch is missing at the end.
  static Result<FileBytes> open(const std::filesystem::path& path, std::uint64_t offset = 0,
                                std::uint64_t length = UINT64_MAX);
  std::string_view bytes() const { return {bytes_.get(), size_}; }

 private:
  FileBytes(std::unique_ptr<char[]> bytes, std::size_t size) : bytes_(std::move(bytes)), size_(size) {}
  std::unique_ptr<char[]> bytes_;
  std::size_t size_;
};

struct FrameAt {
  std::uint64_t offset = 0;  // in the file
  ParsedFrame frame;         // without `unsealed`: a file's worth of those would be its size
  bool is_sealed = false;
};

struct DamagedStretch {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

// The frames of a raw file, in order. Damaged stretches are passed over.
struct RawScan {
  std::vector<FrameAt> frames;
  std::vector<DamagedStretch> damages;
  std::uint64_t intact_end = 0;  // behind the last whole frame
};
// `name` is the file's. Errc::bad_config at the first frame that the seal's key does not open.
Result<RawScan> scan_frames(std::string_view file, std::string_view name, const FrameSeal& seal);

// Where the next frame may begin, behind the first byte; the size of `bytes` when none does.
std::size_t next_magic(std::string_view bytes);

// Writes `bytes` at `offset`, where the file is cut first; creates it (0600) and its directory (0700).
// Returns Errc::io with what was wrong; `shorter` is set when the file ended before `offset`.
Result<void> write_at(const std::filesystem::path& path, std::uint64_t offset, std::string_view bytes, bool& shorter);

// Puts a new content in the place of a file in one step; the first `keep` bytes are the old file's.
Result<void> replace_file(const std::filesystem::path& path, std::uint64_t keep, std::string_view tail);

// Deletes what processes that died in replace_file() left behind: it may be plain where the files are sealed. For the
// only writer.
void remove_leftovers(const std::filesystem::path& directory);

// Every file of the raw layer, by name relative to `directory`, sorted.
std::vector<std::string> raw_file_names(const std::filesystem::path& directory);

}  // namespace memd::raw
