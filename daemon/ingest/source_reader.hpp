#pragma once

#include "daemon/ingest/capture_gate.hpp"
#include "daemon/ingest/ingest_options.hpp"
#include "daemon/ingest/known_sources.hpp"
#include "daemon/ingest/source_file.hpp"
#include "schemas/error.hpp"
#include "store/reader.hpp"

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

// Looks at one source at a time: reads and decodes what is new in it, or draws the conclusion from its not being
// readable. Knows which looks are put off and until when: of sources that failed, that are busy, that were passed over
// a moment ago, or whose last slice is not committed yet. One thread. References must outlive it.
class SourceReader {
 public:
  SourceReader(const Discovery& discovery, const Clock& clock, const IngestOptions& options, KnownSources& sources,
               IngestProgress& progress);

  // Before the first look. `database` is asked what it remembers of sources that are changed in place.
  void open_store(const std::filesystem::path& database, std::shared_ptr<const Withheld> withheld);

  struct Look {
    std::optional<SourceSlice> slice;  // absent: nothing new; masked
    std::uint64_t bytes = 0;           // of the source that the slice accounts for
    bool more = false;                 // look again: the slice did not reach the end
  };
  // Blocks. `known` may be forgotten by the call.
  Look look_at(KnownSource& known);

  // Letters to the writer are numbered in their order; a slice counts as the next one.
  void letter_sent() { ++sent_; }
  void letters_finished(std::uint64_t count) { finished_ += count; }

  // Not all directories could be listed: the empty path is due in a while.
  void look_again_at_everything(std::string why);
  void everything_was_looked_at() { note_shortage({}, {}); }

  void reload(const std::vector<Source>& sources);
  std::vector<std::string> take_due();  // sources whose put-off look has come
  // Until something is to be looked at again without a hint or a letter.
  std::optional<std::chrono::nanoseconds> time_to_next_look() const;
  // Whether a pass is put off: a change that was hinted is not read yet.
  bool has_put_off_passes() const { return passes_.has_put_off() || !waiting_for_commit_.empty(); }

 private:
  Result<Tailer::Outcome> read(KnownSource& known);
  Result<Tailer::Outcome> try_to_read(KnownSource& known);
  Result<Tailer::Outcome> read_in_place(KnownSource& known, std::unique_ptr<SnapshotReader> reader);
  bool may_begin_pass(const KnownSource& known);
  bool must_wait(const KnownSource& known);
  void turn_away(const std::string& path);
  std::optional<SourceSlice> lose(KnownSource& known, const Error& error);
  void note_shortage(const std::string& path, std::string why);

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
  std::set<std::string> short_of_;  // sources that could not be looked at for want of descriptors or memory
  std::uint64_t sent_ = 0;
  std::uint64_t finished_ = 0;
  std::map<std::string, std::uint64_t> waiting_for_commit_;  // sources, and the letter they wait for
};

}  // namespace memd
