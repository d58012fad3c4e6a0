#pragma once

#include "daemon/ingest/capture_gate.hpp"
#include "daemon/ingest/ingest_options.hpp"
#include "daemon/ingest/known_sources.hpp"
#include "daemon/ingest/source_file.hpp"
#include "schemas/base/result.hpp"
#include "store/write/project_rows.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace memd {

class Reader;

// Reads and decodes what is new in one source at a time, or classifies the source when it cannot be read. Schedules the
// delayed looks: of sources that failed, that are busy, that had a pass a moment ago, or whose last slice is not
// committed yet. One thread. References must outlive it.
class SourceReader {
 public:
  SourceReader(const Discovery& discovery, const Clock& clock, const IngestOptions& options, KnownSources& sources,
               IngestProgress& progress);
  ~SourceReader();

  // Call before the first look. `database` is queried for the stored items of sources that are changed in place.
  void open_store(const std::filesystem::path& database, std::shared_ptr<const Withheld> withheld);

  struct Look {
    std::optional<SourceSlice> slice;  // absent: nothing new
    std::uint64_t bytes = 0;           // source bytes that the slice accounts for
    bool more = false;                 // look again: the slice did not reach the end
    std::vector<DirectorySight> sights{};
  };
  // Reads the next slice. Blocks. The call may remove `known` from the known sources.
  Look look_at(KnownSource& known);

  // Counts messages to the writer in the order sent. A slice gets the number of the next message.
  void message_sent() { ++sent_; }
  void messages_finished(std::uint64_t count) { finished_ += count; }

  // Schedules a look at everything (the empty path), because some directories could not be listed.
  void look_again_at_everything(std::string why);
  void everything_was_looked_at();

  void reload(const std::vector<Source>& sources);
  std::vector<std::string> take_due();  // sources whose delayed look is due
  SilentPlaces& silent_places() { return silent_; }
  // Returns the time until the next delayed look, which needs neither hint nor message.
  std::optional<std::chrono::nanoseconds> time_to_next_look() const;
  // Whether a pass is delayed, so that a hinted change is not read yet.
  bool has_put_off_passes() const { return passes_.has_put_off() || !waiting_for_commit_.empty(); }

 private:
  Result<Tailer::Outcome> read(KnownSource& known);
  Result<Tailer::Outcome> try_to_read(KnownSource& known);
  Result<Tailer::Outcome> read_in_place(KnownSource& known, std::unique_ptr<SnapshotReader> reader);
  bool may_begin_pass(const KnownSource& known);
  bool must_wait(const KnownSource& known);
  void withheld_changed();
  void drop_source(const std::string& path);
  std::vector<DirectorySight> see_directories(const EventBatch& batch);
  std::optional<SourceSlice> on_read_failure(KnownSource& known, const Error& error);
  void note_shortage(const std::string& path, std::string why);
  void note_change(const Source& before, const Source& now, bool is_told);

  const Discovery& discovery_;
  const Clock& clock_;
  const IngestOptions& options_;
  KnownSources& sources_;
  IngestProgress& progress_;
  std::unique_ptr<CaptureGate> gate_;
  Tailer tailer_;
  const DiskView files_;
  std::unique_ptr<Reader> store_;
  RetrySchedule retries_;
  PassSchedule passes_;
  SilentPlaces silent_;
  TimeMs began_ = 0;                                 // the first look at everything; 0: still to come
  std::set<std::string> seen_directories_;           // of sessions, whose repository was looked for
  std::set<std::string> sources_without_resources_;  // sources that could not be read for lack of descriptors or memory
  std::uint64_t sent_ = 0;
  std::uint64_t finished_ = 0;
  std::map<std::string, std::uint64_t> waiting_for_commit_;  // source → number of the message that it waits for
};

}  // namespace memd
