#pragma once

#include "adapters/adapter.hpp"
#include "daemon/ingest/discovery.hpp"
#include "daemon/ingest/ingest_progress.hpp"
#include "daemon/ingest/look_schedule.hpp"
#include "daemon/ingest/snapshot_pass.hpp"
#include "daemon/ingest/source_file.hpp"
#include "schemas/base/timestamp.hpp"
#include "schemas/source.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace memd {

// A source with the state of its looks, while the reading side works on it.
struct KnownSource {
  Source source;
  const Adapter* adapter = nullptr;
  bool is_tailed = false;        // a coroutine tails it now
  bool became_dirty = false;     // while it was being tailed
  bool is_hinted = false;        // since the last look
  bool is_continued = false;     // the next look goes on where the last one stopped
  bool let_others_pass = false;  // its last look was moved behind those of the waiting sources
  // Only for a source that is changed in place.
  std::unique_ptr<SnapshotPass> pass;  // null between passes
  std::uint64_t slices_of_pass = 0;
  std::chrono::nanoseconds pass_took{0};
  bool is_check = false;        // the current pass is a check: it began without a mark
  bool needs_check = false;     // the last pass was unsure
  std::uint64_t last_sent = 0;  // number of the message with its last slice
};

// The sources that the reading side tracks, and which of them are dirty, that is, have to be looked at. There may be a
// million, so an idle source is kept packed, in some 300 bytes with its path. One thread. The discovery, the clock and
// the progress must outlive it.
class KnownSources {
 public:
  KnownSources(const Discovery& discovery, const Clock& clock, IngestProgress& progress);

  // Replaces all sources with those in the store.
  void reload(std::vector<Source> sources);

  // These functions make sources dirty. The error tells why some directories could not be searched (Discovery::find).
  std::error_code find_all();                     // all that exist, and known ones that are not found any more
  std::error_code hint(const std::string& path);  // sources at or below the path, or with the path as a part
  void hint(const SourceCandidate& source, const std::string& file);  // the file is the source or a part of it
  void take(SourceCandidate file);                                    // under a root or not
  void make_dirty(const std::string& path) { dirty_.add(path); }

  DirtyQueue& dirty() { return dirty_; }
  // Updates size and cursor from a slice that was written, where they follow from its ledger.
  void written(const SourceSlice& slice);
  KnownSource* find(const std::string& path);  // null: unknown. Valid until reload(), forget() or pack()
  void pack(const std::string& path);          // after a look: packs it unless work is left
  void forget(const std::string& path);

  // Whether a known source below the directory still exists as the same file as when it was read.
  bool has_witness(const std::filesystem::path& directory, const StatPath& look) const;

 private:
  // `packed`: the state in `packed_` for the path. The visitor must not change `packed_`, and ends the visit with
  // false.
  using Visitor = std::function<bool(const std::string& path, std::string_view packed)>;
  void each_packed(std::string_view prefix, const Visitor& visit) const;
  std::optional<std::string_view> find_packed(const std::string& path) const;
  void erase_packed(const std::string& path);
  void put_packed(const KnownSource& known);
  Source look_into(const std::string& path, std::string_view packed) const;
  SourceState state_of(const std::string& path, std::string_view packed) const;
  void add(const SourceCandidate& candidate);
  void add_below(const std::string& directory);
  bool hint_known(const std::string& path);  // false: unknown path
  void add_named(const Discovery::NamedSource& whole);

  const Discovery& discovery_;
  const Clock& clock_;
  IngestProgress& progress_;
  // Path, NUL and state of all sources; for an unpacked one, its state when it was last packed.
  std::set<std::string, std::less<>> packed_;
  std::map<std::string, std::unique_ptr<KnownSource>> unpacked_;
  DirtyQueue dirty_;
};

}  // namespace memd
