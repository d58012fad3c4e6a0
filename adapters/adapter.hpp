#pragma once

#include "schemas/event_batch.hpp"
#include "schemas/platform.hpp"
#include "schemas/source.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

class FileView;  // adapters/snapshot_reader.hpp
class SnapshotReader;

// The user's home, the variables of the environment and the configured roots, from which adapters derive the locations
// of agent data.
struct HomeLayout {
  std::filesystem::path home;
  std::vector<std::filesystem::path> override_roots;  // from the configuration; replaces the defaults unless empty
  // Returns the directory that an environment variable names; empty: it names none. Null: no variable is set.
  std::function<std::filesystem::path(const char* name)> directory_of = nullptr;
  // Repositories, and other directories, in which agents are known to have worked. For agents that keep their files
  // there.
  std::vector<std::filesystem::path> projects = {};

  // Returns the directories of an agent's data: the one that the variable names, if it does, then the default.
  std::vector<std::filesystem::path> places(const char* variable, const std::filesystem::path& otherwise) const;
  // Returns the configured roots, else a directory in each of those places; `otherwise` is below the home.
  std::vector<std::filesystem::path> roots_in(const char* variable, std::string_view otherwise,
                                              std::string_view directory) const;
};

// One complete record: a line of a log without its newline, or an item of a source that is changed in place. Followed
// by at least kRecordPadding readable bytes. Does not own its bytes.
struct RawRecord {
  std::string_view bytes;
  std::uint64_t offset = 0;      // byte offset in the source; for an item, its number
  bool newline_follows = false;  // the ledger counts the newline as part of this record
};
inline constexpr std::size_t kRecordPadding = 64;

// The outcome of one record, as counted in the ledger. A broken record contains invalid JSON; none of its events are
// kept. `reason` is a literal.
struct RecordOutcome {
  bool broken = false;
  Disposition disposition = Disposition::indexed;
  std::string_view reason;
  std::string type;  // record type in the ledger; may be set later

  static RecordOutcome indexed(std::string_view type = {}) {
    return {false, Disposition::indexed, {}, std::string(type)};
  }
  static RecordOutcome skipped(std::string_view reason, std::string_view type = {}) {
    return {false, Disposition::skipped, reason, std::string(type)};
  }
  static RecordOutcome unknown(std::string_view reason, std::string_view type = {}) {
    return {false, Disposition::unknown, reason, std::string(type)};
  }
  static RecordOutcome damaged(std::string_view type = {}) {
    return {true, Disposition::skipped, "damaged", std::string(type)};
  }
};

// Decodes the records of one source into events. A record's events do not depend on earlier records, so a decoder can
// be created at any cursor. Bad input never throws: it becomes diagnostics and ledger entries. Each record adds exactly
// its bytes (with newline) to the ledger. One thread at a time.
class RecordDecoder {
 public:
  virtual ~RecordDecoder() = default;
  virtual void decode(const RawRecord& record, EventBatch& out) = 0;
  // Returns whether a last line without newline is a whole record. If not, it is read again when it has grown.
  virtual bool is_complete(std::string_view bytes) const = 0;
};

// A file found under a root, before any of its content is read.
struct SourceCandidate {
  Platform platform{};
  std::string path;  // absolute; the main file's path when a companion was found (a -wal, a second document)
  SourceFormat format = SourceFormat::jsonl;
  std::uint64_t size = 0;  // set by the caller that stats the file, not by adapters
};

// A platform's adapter. Stateless; any thread may call it. Does no I/O of its own.
class Adapter {
 public:
  virtual ~Adapter() = default;
  virtual const AdapterDescription& describe() const = 0;
  // Members of describe(), which may take its time when it is called first.
  virtual Platform platform() const { return describe().platform; }
  virtual std::string_view contract_version() const { return describe().contract_version; }

  // Returns the directories to search. They need not exist. A `*` in one component stands for any name; discovery lists
  // the directories that match.
  virtual std::vector<std::filesystem::path> roots(const HomeLayout& home) const = 0;

  // Returns the source that a file below a root belongs to; nullopt if it is not part of a source of this adapter.
  virtual std::optional<SourceCandidate> classify(const std::filesystem::path& root,
                                                  const std::filesystem::path& file) const = 0;

  // Returns whether a directory below a root is searched and watched.
  virtual bool looks_into(const std::filesystem::path& root, const std::filesystem::path& directory) const {
    (void)root, (void)directory;
    return true;
  }

  // Returns the file name of the source that a file, or a directory of such files, is part of. A change of the part is
  // then a hint for the source. Only for parts whose path does not identify the source (classify() handles the others);
  // otherwise empty.
  virtual std::string part_of(const std::filesystem::path& root, const std::filesystem::path& file) const {
    (void)root, (void)file;
    return {};
  }

  // Returns the uid of the session whose transcript the source is. `head`: about the first kHeadBytes, possibly with a
  // truncated last line. Empty if the source belongs to no single session, or if its head does not identify one yet.
  virtual std::string session_uid(const SourceCandidate& source, std::string_view head) const = 0;

  // Creates a decoder for the source; `source.session_uid` is already set.
  virtual std::unique_ptr<RecordDecoder> open(const Source& source) const = 0;

  // Creates a reader for a source that is changed in place. Null for a log, which is read by byte offset. open()
  // creates the decoders of the items, with Source::session_uid set to the item's session. `files` must outlive the
  // reader.
  virtual std::unique_ptr<SnapshotReader> open_snapshot(const Source& source, const FileView& files) const;

  // Returns the whole text of one event (tool input, tool result, thinking …) from the bytes of its record, which are
  // followed by kRecordPadding readable bytes. nullopt when the record does not parse or has no such block.
  virtual std::optional<std::string> event_text(std::string_view record, EventKind kind, std::uint16_t block) const = 0;

  // Returns the file to which the record's text was moved (Claude Code's tool-results), if the record names one.
  virtual std::optional<std::filesystem::path> moved_out_text(const Source& source, std::string_view record) const {
    (void)source, (void)record;
    return std::nullopt;
  }
};

// For implementations of event_text(): return the text of the event of `kind` and `block`, taken from a batch, or from
// a record that `decoder` reads with Detail::full.
std::optional<std::string> take_text(EventBatch& batch, EventKind kind, std::uint16_t block);
std::optional<std::string> decoded_text(RecordDecoder& decoder, std::string_view record, EventKind kind,
                                        std::uint16_t block);

// Returns all adapters, in the order of Platform.
std::span<const Adapter* const> all_adapters();
const Adapter* find_adapter(Platform platform);

}  // namespace memd
