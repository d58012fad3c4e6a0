#pragma once

#include "adapters/snapshot_reader.hpp"
#include "schemas/event_batch.hpp"
#include "schemas/platform.hpp"
#include "schemas/source.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

// Where agents keep things on this machine.
struct HomeLayout {
  std::filesystem::path home;
  std::vector<std::filesystem::path> override_roots;  // from the configuration; replaces the defaults when not empty
};

// One complete record: a line of a log without its newline, or an item of a source that is changed in place.
// At least kRecordPadding readable bytes follow it. Does not own them.
struct RawRecord {
  std::string_view bytes;
  std::uint64_t offset = 0;      // of the first byte, from the start of the source; the number of an item
  bool newline_follows = false;  // the newline belongs to this record in the ledger
};
inline constexpr std::size_t kRecordPadding = 64;

// What became of one record, as the ledger tells it. A broken record is one whose inside is no JSON: nothing of it is
// kept. `reason` is a literal.
struct Fate {
  bool broken = false;
  Disposition disposition = Disposition::indexed;
  std::string_view reason;
  std::string type;  // record type in the ledger; may be filled later

  static Fate indexed(std::string_view type = {}) { return {false, Disposition::indexed, {}, std::string(type)}; }
  static Fate skipped(std::string_view reason, std::string_view type = {}) {
    return {false, Disposition::skipped, reason, std::string(type)};
  }
  static Fate unknown(std::string_view reason, std::string_view type = {}) {
    return {false, Disposition::unknown, reason, std::string(type)};
  }
  static Fate damaged(std::string_view type = {}) { return {true, Disposition::skipped, "damaged", std::string(type)}; }
};

// Turns the records of one source into events. What a record gives does not depend on the records before it, so a
// decoder can be made anew at any cursor. Bad input never throws: it becomes diagnostics and ledger lines. For each
// record the ledger grows by exactly its bytes (with newline). One thread at a time.
class RecordDecoder {
 public:
  virtual ~RecordDecoder() = default;
  virtual void decode(const RawRecord& record, EventBatch& out) = 0;
  // Whether a last line without newline is a whole record. If not, it waits for more.
  virtual bool is_complete(std::string_view bytes) const = 0;
};

// A file found under a root, before anything is known about it.
struct SourceCandidate {
  Platform platform{};
  std::string path;  // absolute; of the main file when the one found is its companion (a -wal, a second document)
  SourceFormat format = SourceFormat::jsonl;
  std::uint64_t size = 0;  // filled by whoever looked at the file; adapters leave it alone
};

// A platform's reader. Stateless and thread-safe: it may be asked from any thread. Does no I/O of its own.
class Adapter {
 public:
  virtual ~Adapter() = default;
  virtual const AdapterDescription& describe() const = 0;

  // Directories to look under (they need not exist).
  virtual std::vector<std::filesystem::path> roots(const HomeLayout& home) const = 0;

  // Whether a file below a root is a source of this adapter.
  virtual std::optional<SourceCandidate> classify(const std::filesystem::path& root,
                                                  const std::filesystem::path& file) const = 0;

  // Whether to look into (and watch) a directory below a root.
  virtual bool looks_into(const std::filesystem::path& root, const std::filesystem::path& directory) const {
    (void)root, (void)directory;
    return true;
  }

  // The file name of the source that a file, or a directory of such files, is a part of: changes of the part are hints
  // to the source. Only for parts whose own path does not tell (classify() finds the others); else empty.
  virtual std::string part_of(const std::filesystem::path& root, const std::filesystem::path& file) const {
    (void)root, (void)file;
    return {};
  }

  // The session that a source is the transcript of. `head`: about kHeadBytes from its start, perhaps with a cut last
  // line. Empty if the source belongs to no single session, or its head does not tell yet.
  virtual std::string session_uid(const SourceCandidate& source, std::string_view head) const = 0;

  // A decoder for the source; `source.session_uid` is already set.
  virtual std::unique_ptr<RecordDecoder> open(const Source& source) const = 0;

  // A reader for a source that is changed in place. Null for a log, which is read by its bytes. open() makes decoders
  // for the items, with Source::session_uid that of the session at hand. `files` outlives the reader.
  virtual std::unique_ptr<SnapshotReader> open_snapshot(const Source& source, const FileView& files) const {
    (void)source, (void)files;
    return nullptr;
  }

  // The whole text of one event (tool input, tool result, thinking …), from the bytes of its record. kRecordPadding
  // readable bytes follow them. nullopt when the record does not parse or has no such block.
  virtual std::optional<std::string> event_text(std::string_view record, EventKind kind, std::uint16_t block) const = 0;

  // The file that the record's text was moved to (Claude Code's tool-results), if the record names one.
  virtual std::optional<std::filesystem::path> moved_out_text(const Source& source, std::string_view record) const {
    (void)source, (void)record;
    return std::nullopt;
  }
};

// For implementations of event_text(): the text of the event of `kind` and `block`, taken out of a batch, or of a
// record that `decoder` reads in full detail.
std::optional<std::string> take_text(EventBatch& batch, EventKind kind, std::uint16_t block);
std::optional<std::string> decoded_text(RecordDecoder& decoder, std::string_view record, EventKind kind,
                                        std::uint16_t block);

// The one table of adapters, in the order of Platform.
std::span<const Adapter* const> all_adapters();
const Adapter* find_adapter(Platform platform);

}  // namespace memd
