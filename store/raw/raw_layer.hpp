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
  std::uint64_t files = 0;           // files rewritten
  std::uint64_t frames = 0;          // frames in these files
  std::vector<std::string> damaged;  // files left unchanged, because a part of them cannot be read
};

// Stores the records of slices in compressed files beside the database (docs/store-format.md). A commit first appends
// to the files, then commits the rows with the files' lengths. Bytes that a crash leaves after a file's committed
// length are truncated at the next write. Owns its files, uses the writer's connection. Writer thread only. Throws
// ErrorException.
class RawLayer {
 public:
  struct Options {
    std::uint64_t merge_from = 64;  // number of small frames at the end of a file from which they are merged
    TimeMs quiet_after = 60 * 60 * 1000;
  };
  RawLayer(sqlite::Database& db, std::filesystem::path directory, FrameSeal seal)
      : RawLayer(db, std::move(directory), std::move(seal), Options()) {}
  RawLayer(sqlite::Database& db, std::filesystem::path directory, FrameSeal seal, Options options);

  // Makes rows and files agree, in its own transactions. Sources whose records were lost are reset to their start, so
  // call it before loading the sources from the store. Errc::bad_config, with nothing changed, when the raw layer is
  // sealed with a different key.
  void recover(TimeMs now);

  // Adds the records of an applied slice, inside the writer's transaction. Ignores slices without records.
  void add(SourceSlice& slice, TimeMs now);
  void write(TimeMs now);  // the last step before COMMIT
  void committed();
  void rolled_back();

  // Rewrites the small frames at the end of a file as few large ones, in its own transaction.
  void merge_small_frames(std::string_view file_name);
  // Merges small frames of all files that have not been written for Options::quiet_after.
  void merge_quiet_files(TimeMs now);

  const FrameSeal& seal() const { return seal_; }
  // Seals every plain frame, or with `sealed` false decrypts every sealed one. Rewrites file by file, in its own
  // transactions.
  Resealed reseal(bool sealed);

  // Replaces the frames of a session in its file by `record`, which a rebuild reads. Returns the number of bytes the
  // frames took. Runs inside the caller's transaction as its last step, because the file changes at once. Repeating it
  // after a crash, before recover(), gives the same result.
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
  bool damaged_ = false;  // a file was found shorter than its rows say
};

}  // namespace memd::raw
