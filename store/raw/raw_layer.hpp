#pragma once

#include "schemas/source.hpp"
#include "store/db/database.hpp"
#include "store/raw/frame_codec.hpp"
#include "store/raw/frame_seal.hpp"
#include "store/raw/raw_frame.hpp"
#include "store/raw/raw_rows.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace memd::raw {

struct Resealed {
  std::uint64_t files = 0;           // written anew
  std::uint64_t frames = 0;          // in them
  std::vector<std::string> damaged;  // files that were left as they are, because a part of them cannot be read
};

// Keeps the records of slices in compressed files beside the store (docs/store-format.md). A commit first appends to
// the files, then commits the rows that hold the files' lengths; what a crash leaves behind a length is cut off at the
// next write. Owns its files, uses the writer's connection. Writer thread only. Throws ErrorException.
class RawLayer {
 public:
  struct Options {
    std::uint64_t merge_from = 64;  // small frames at the end of a file that are merged at once
    TimeMs quiet_after = 60 * 60 * 1000;
  };
  RawLayer(sqlite::Database& db, std::filesystem::path directory, FrameSeal seal)
      : RawLayer(db, std::move(directory), std::move(seal), Options()) {}
  RawLayer(sqlite::Database& db, std::filesystem::path directory, FrameSeal seal, Options options);

  // Makes rows and files agree, in transactions of its own. Sources whose records were lost are set back to their
  // start; so call it before reading the sources from the store. Errc::bad_config when the raw layer is sealed with a
  // key that is not this one: nothing was changed then.
  void recover(TimeMs now);

  // Takes the records of a slice that was applied, inside the writer's transaction. Ignores slices without any.
  void add(SourceSlice& slice, TimeMs now);
  void write(TimeMs now);  // the last step before COMMIT
  void committed();
  void rolled_back();

  // Writes the small frames at the end of the file anew, as few large ones. A transaction of its own.
  void merge_small_frames(std::string_view file_name);
  // The same for files that nobody has written to for a while.
  void merge_quiet_files(TimeMs now);

  const FrameSeal& seal() const { return seal_; }
  // Writes every frame anew that is not sealed (or, to undo it, that is), file by file, in transactions of its own.
  Resealed reseal(bool sealed);

  // Replaces the frames of a session in its file by `record`, which a rebuild will read. Returns how many bytes the
  // frames took. Inside the caller's transaction, as its last step: the file changes at once. Called again after a
  // crash, before recover(), it leaves the same.
  std::uint64_t evict(std::string_view session_uid, std::string record, TimeMs now);

 private:
  struct Pending {
    FrameHeader header;
    std::string packed;
    SourceId source = 0;
  };
  void check_key();
  void save_key(const std::string& id);
  FileRow writable_row(const std::string& name);
  bool reseal_file(FileRow row, const FrameSeal& wanted, Resealed& done);
  void append(const std::string& name, const std::vector<const Pending*>& frames, TimeMs now);

  sqlite::Database& db_;
  RawRows rows_;
  std::filesystem::path directory_;
  FrameSeal seal_;
  Options options_;
  FrameCodec codec_;
  std::uint64_t next_number_;
  std::vector<Pending> pending_;
  std::vector<std::string> to_merge_;
  bool damaged_ = false;  // a file turned out shorter than its rows
};

}  // namespace memd::raw
