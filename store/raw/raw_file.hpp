#pragma once

#include "schemas/base/result.hpp"
#include "store/raw/frame_seal.hpp"
#include "store/raw/raw_frame.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memd::raw {

// A copy of a file or a range of it in memory. Unlike with a mapping, a file truncated meanwhile or a failing disk
// gives an error and no signal. Any thread may read it.
class FileBytes {
 public:
  // Errc::not_found, Errc::io. If the file ends inside the range, the bytes end there too.
  static Result<FileBytes> open(const std::filesystem::path& path, std::uint64_t offset = 0,
                                std::uint64_t length = UINT64_MAX);
  std::string_view bytes() const { return {bytes_.get(), size_}; }

 private:
  FileBytes(std::unique_ptr<char[]> bytes, std::size_t size) : bytes_(std::move(bytes)), size_(size) {}
  std::unique_ptr<char[]> bytes_;
  std::size_t size_;
};

struct FrameAt {
  std::uint64_t offset = 0;  // byte offset in the file
  ParsedFrame frame;         // without `unsealed`, which would take memory in the size of the whole file
  bool is_sealed = false;
};

struct DamagedStretch {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

// The frames of a raw file, in order. Damaged stretches are skipped.
struct RawScan {
  std::vector<FrameAt> frames;
  std::vector<DamagedStretch> damages;
  std::uint64_t intact_end = 0;  // end of the last intact frame
};
// `name` is the file's name. Errc::bad_config at the first frame that the seal's key does not decrypt.
Result<RawScan> scan_frames(std::string_view file, std::string_view name, const FrameSeal& seal);

// Returns the offset at which the next frame may begin, after the first byte; the size of `bytes` when there is none.
std::size_t next_magic(std::string_view bytes);

// Truncates the file at `offset` and writes `bytes` there. Creates the file (0600) and its directory (0700).
// Returns Errc::io with a message. Sets `shorter` when the file ended before `offset`.
Result<void> write_at(const std::filesystem::path& path, std::uint64_t offset, std::string_view bytes, bool& shorter);

// Replaces a file's content atomically. Keeps the first `keep` bytes of the old file and appends `tail`.
Result<void> replace_file(const std::filesystem::path& path, std::uint64_t keep, std::string_view tail);

// Deletes temporary files of processes killed in replace_file(). They may be plain although the layer is sealed. For
// the single writer only.
void remove_leftovers(const std::filesystem::path& directory);

// Lists all files of the raw layer, relative to `directory`, sorted.
std::vector<std::string> raw_file_names(const std::filesystem::path& directory);

}  // namespace memd::raw
