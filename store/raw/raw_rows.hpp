#pragma once

#include "store/db/database.hpp"
#include "store/raw/frame_seal.hpp"
#include "store/raw/raw_frame.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::raw {

struct FileRow {
  std::int64_t pk = 0;
  std::string name;
  std::uint64_t length = 0;       // committed bytes
  std::uint64_t last_number = 0;  // number of the last part
  std::uint64_t small_frames = 0;
  TimeMs written_at = 0;
};

struct FrameRow {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::uint64_t first_number = 0;
  std::uint64_t last_number = 0;
  SourceId source = 0;
  std::uint64_t bytes = 0;  // uncompressed bytes of the records
};

// Access to the tables raw_files and raw_frames. Throws ErrorException. Borrows `db`; writer thread.
class RawRows {
 public:
  explicit RawRows(sqlite::Database& db) : db_(db) {}

  std::vector<FileRow> files();
  std::optional<FileRow> file(std::string_view name);
  FileRow create_file(std::string_view name);
  void save(const FileRow& row);
  void remove_file(std::string_view name);  // and its frames
  std::uint64_t last_number();

  std::vector<FrameRow> frames(std::int64_t file);
  void add_frame(std::int64_t file, std::uint64_t offset, std::uint64_t length, SourceId source,
                 const FrameHeader& header);
  void drop_frames(std::int64_t file, std::uint64_t from_offset);

  // Returns the source of a frame. Creates it when the store has no such source, with cursor 0 so that it is read.
  SourceId source_of(const FrameHeader& header);

 private:
  sqlite::Database& db_;
};

// A frame with fewer bytes of records than this is small. Small frames compress badly and are merged with their
// neighbours later.
inline constexpr std::uint64_t kSmallFrame = 512 << 10;

// Makes the rows of one file agree with its content, in the caller's transaction:
//  * frames after the last committed one are cut off;
//  * a file whose merge was not committed gets the rows of its new frames;
//  * frames missing from the file lose their rows, and their sources are read again from the start if they still exist.
// Throws, without changes, at frames that `seal` does not decrypt. So does adopt().
void reconcile(sqlite::Database& db, const std::filesystem::path& directory, const FrameSeal& seal, FileRow row,
               TimeMs now);

// Creates the rows of a file without rows, from its frames.
FileRow adopt(sqlite::Database& db, const std::filesystem::path& directory, const FrameSeal& seal,
              const std::string& name);

}  // namespace memd::raw
