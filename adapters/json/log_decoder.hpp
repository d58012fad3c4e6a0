#pragma once

#include "adapters/adapter.hpp"
#include "adapters/json/json_access.hpp"
#include "adapters/json/json_text.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memd::json {

// A range of a line that is not one whole JSON object.
struct Piece {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool record = false;  // false: damaged
};

// Splits a damaged line into records and the bytes between them. Handles two objects without a newline, a truncated
// record followed by the next, and runs of NUL bytes. Calls `emit` in order with pieces that cover the line without gap
// or overlap. Blanks belong to the preceding piece.
//
// `try_slice(slice, nested)` parses a candidate and keeps its events. `nested`: the slice may lie inside a truncated
// record, so it must be accepted only if it is certainly a record. The work is bounded: after too many false starts the
// rest of the line counts as damaged.
enum class Slice : std::uint8_t {
  broken,      // invalid JSON; a record may still start inside
  not_record,  // valid JSON, but part of a truncated record
  record,
};
void recover_line(std::string_view line, const std::function<Slice(std::string_view slice, bool nested)>& try_slice,
                  const std::function<void(const Piece&)>& emit);

// Decodes a log with one JSON object per line: the part shared by all platforms. Handles blank lines, truncated and
// concatenated lines, invalid UTF-8 and Git LFS pointers. Derived classes read one record each. Reuses one simdjson
// parser; unused values are skipped, not materialised. One thread at a time.
class LogDecoder : public RecordDecoder {
 public:
  struct Rules {
    // Each record is validated in full before it is read, because On-Demand does not validate what it skips.
    bool strict = false;
    // Distinguishes a Git LFS pointer in place of the log from damage.
    bool knows_lfs = true;
    // The records are items (SnapshotReader::item): each is one line of the ledger, whole or damaged.
    bool items = false;
  };

  explicit LogDecoder(Platform platform) : LogDecoder(platform, Rules{}) {}
  LogDecoder(Platform platform, Rules rules);
  ~LogDecoder() override;

  void decode(const RawRecord& record, EventBatch& out) final;
  bool is_complete(std::string_view bytes) const final;

 protected:
  Platform platform() const { return platform_; }

  // Called before the first record of a source (offset 0), whatever that record is.
  virtual void begin_source(EventBatch& out) { (void)out; }
  // Iterates over all fields of a record's object and keeps the needed ones. Returns false when they are invalid JSON.
  virtual bool open(od::object& root) const = 0;
  // Decodes the record just opened; its object is at the first field. Events of a broken record are removed again.
  virtual RecordOutcome read(od::object& root, RawRef raw, EventBatch& out) = 0;
  // Returns whether the object just opened, found inside a truncated line, is certainly a record and not part of the
  // truncated one. Never asked of items.
  virtual bool surely_a_record() const { return false; }

 private:
  struct Parsers;
  bool open_object(std::string_view json) const;
  bool parse_strictly(std::string_view json) const;
  bool read_open(RawRef raw, EventBatch& out, RecordOutcome& outcome);
  void decode_item(const RawRecord& record, RawRef raw, EventBatch& out);
  void recover(const RawRecord& record, EventBatch& out);
  Slice take_slice(std::string_view slice, bool nested, RawRef raw, EventBatch& out, std::vector<RecordOutcome>& found);

  Platform platform_;
  Rules rules_;
  mutable std::unique_ptr<Parsers> parsers_;  // is_complete() parses too
};

// The frame of a decoder, for lines of a log and for items of a source that is changed in place (SnapshotReader):
//
// * MEMD_KEYS (json_access.hpp) lists the keys of each kind of object once. `Keys` are those at the top of a record;
//   they are in `keys_` when read() is called.
// * read() creates a RecordBuilder (record_builder.hpp), sets what all events of the record share (id, time, parent,
//   directory, model), and adds events. RecordBuilder has what agents have in common: compactions, usage, sessions.
// * The inside of a record is read with for_each_object(), collect_in(), token_in(), append_texts() and InnerJson
//   (json_access.hpp), calls and results with tool_calls/.
// * Damage, torn lines and the ledger of bytes are LogDecoder's. Nothing is remembered from record to record.
//
// adapters/pi is a whole adapter of a log. One thread at a time.
template <class Keys>
class KeyedDecoder : public LogDecoder {
 public:
  KeyedDecoder(Platform platform, std::string session_uid, Detail detail, Rules rules = {})
      : LogDecoder(platform, rules), session_uid_(std::move(session_uid)), detail_(detail) {}

 protected:
  bool open(od::object& root) const final { return collect(root, keys_); }

  const std::string session_uid_;
  const Detail detail_;
  mutable Keys keys_;  // of the record at hand
};

// An adapter whose records are all read by one kind of decoder: Decoder(const Source&, Detail).
template <class Decoder>
class AdapterOf : public Adapter {
 public:
  std::unique_ptr<RecordDecoder> open(const Source& source) const override {
    return std::make_unique<Decoder>(source, Detail::stored);
  }
  std::optional<std::string> event_text(std::string_view record, EventKind kind, std::uint16_t block) const override {
    Source source;
    source.platform = platform();
    Decoder decoder(source, Detail::full);
    return decoded_text(decoder, record, kind, block);
  }
};

// A line of the prompt history file that an agent's terminal keeps for the arrow keys.
struct HistoryPrompt {
  Platform platform{};
  std::string session_uid;
  TimeMs time = 0;
  std::string text;  // complete, with pasted text inserted
  std::string cwd;
};

// Adds the line as a user_msg with origin history. Skips commands to the terminal itself ("/clear", "exit").
RecordOutcome add_history_prompt(const HistoryPrompt& prompt, RawRef raw, EventBatch& out, std::string_view type);

}  // namespace memd::json
