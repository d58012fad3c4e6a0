#pragma once

#include "adapters/adapter.hpp"
#include "daemon/ingest/discovery.hpp"
#include "daemon/ingest/ingest_progress.hpp"
#include "daemon/ingest/look_schedule.hpp"
#include "daemon/ingest/resting_sources.hpp"
#include "daemon/ingest/snapshot_pass.hpp"
#include "daemon/ingest/source_file.hpp"
#include "schemas/source.hpp"
#include "schemas/time.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace memd {

struct KnownSource {
  Source source;
  const Adapter* adapter = nullptr;
  bool is_tailed = false;        // by a coroutine at the moment
  bool became_dirty = false;     // in the meantime
  bool is_hinted = false;        // since it was last looked at
  bool let_others_pass = false;  // a look was put off behind those of the others that wait
  // Of a source that is changed in place.
  std::unique_ptr<SnapshotPass> pass;  // null between passes
  std::uint64_t slices_of_pass = 0;
  std::chrono::nanoseconds pass_took{0};
  bool is_check = false;        // the pass: it began without a mark
  bool needs_check = false;     // the last pass was unsure
  std::uint64_t last_sent = 0;  // number of the letter with its last slice
};

// What the reading side knows of the sources, and which of them are dirty: to be looked at. There may be a million, so
// one that nobody looks at is kept packed, in some 170 bytes with its path. One thread. The discovery, the clock and
// the progress must outlive it.
class KnownSources {
 public:
  KnownSources(const Discovery& discovery, const Clock& clock, IngestProgress& progress);

  // Forgets everything; knows the sources that the store knows.
  void reload(std::vector<Source> sources);

  // These make sources dirty. The error tells why not all could be looked for (Discovery::find).
  std::error_code find_all();                     // all that are there, and those that were and are not found any more
  std::error_code hint(const std::string& path);  // what stands at or below the path, or has it as a part
  void hint(const SourceCandidate& source, const std::string& file);  // the file is the source or a part of it
  void take(SourceCandidate file);                                    // whether or not it stands under a root
  void make_dirty(const std::string& path) { dirty_.add(path); }

  DirtyRing& dirty() { return dirty_; }
  // What the store made of a slice: size and cursor, where they follow from its ledger.
  void written(const SourceSlice& slice);
  KnownSource* find(const std::string& path);  // null: not known. Valid until reload(), forget() or rest()
  void rest(const std::string& path);          // it was looked at: packed, unless there is something left to do
  void forget(const std::string& path);

  // Whether some source known below the directory is still there, the same file as when it was read.
  bool has_witness(const std::filesystem::path& directory, const LookAtPath& look) const;

 private:
  // `packed` is what `resting_` has of the path.
  Source look_into(const std::string& path, std::string_view packed) const;
  SourceState state_of(const std::string& path, std::string_view packed) const;
  void add(const SourceCandidate& candidate);
  void add_below(const std::string& directory);
  bool hint_known(const std::string& path);  // false: it is not known
  void add_named(const Discovery::NamedSource& whole);

  const Discovery& discovery_;
  const Clock& clock_;
  IngestProgress& progress_;
  RestingSources resting_;  // all of them; of one that is awake, what it was
  std::map<std::string, std::unique_ptr<KnownSource>> awake_;
  DirtyRing dirty_;
};

}  // namespace memd
