#pragma once

#include "adapters/adapter.hpp"
#include "adapters/json/json_access.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace memd::json {

// A stretch of a line that is not one whole JSON object.
struct Piece {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool record = false;  // else damaged
};

// Cuts a damaged line into records and what lies between them: two objects without a newline, a cut record followed by
// the next, runs of NUL bytes. Calls `emit` for pieces that cover the line without gap or overlap, in order. Blanks
// belong to the piece before them.
//
// `try_slice(slice, nested)` parses a candidate and keeps what it gives. `nested`: the slice may be the inside of a cut
// record, so only what is certainly a record may be taken. The work is bounded: after too many false starts the rest of
// the line is damaged.
enum class Slice : std::uint8_t {
  broken,      // no JSON; a record may still start inside
  not_record,  // whole JSON, but part of a cut record
  record,
};
void recover_line(std::string_view line, const std::function<Slice(std::string_view slice, bool nested)>& try_slice,
                  const std::function<void(const Piece&)>& emit);

// Decodes a log of JSON objects, one a line: the part that all platforms share. It knows blank lines, torn and glued
// lines, bytes that are not UTF-8 and Git LFS pointers. Derived classes read one record each. One simdjson parser,
// reused: what is not asked for is skipped, not materialised. One thread at a time.
class LogDecoder : public RecordDecoder {
 public:
  struct Rules {
    // Every record is parsed in full before it is read, because On-Demand does not look at what it skips.
    bool strict = false;
    // A Git LFS pointer in place of the log is told apart from damage.
    bool knows_lfs = true;
  };

  explicit LogDecoder(Platform platform) : LogDecoder(platform, Rules{}) {}
  LogDecoder(Platform platform, Rules rules);
  ~LogDecoder() override;

  void decode(const RawRecord& record, EventBatch& out) final;
  bool is_complete(std::string_view bytes) const final;

 protected:
  // Called before the first record of a source (offset 0), whatever that record is.
  virtual void begin_source(EventBatch& out) { (void)out; }
  // Walks all fields of a record's object and keeps what it needs of them. False when they are not JSON.
  virtual bool open(od::object& root) const = 0;
  // Decodes the record just opened; its object stands at the first field. What a broken record adds is taken back.
  virtual Fate read(od::object& root, RawRef raw, EventBatch& out) = 0;
  // Whether the object just opened, found inside a torn line, is certainly a record and not a part of the torn one.
  virtual bool surely_a_record() const = 0;

 private:
  struct Parsers;
  bool open_object(std::string_view json) const;
  bool parse_strictly(std::string_view json) const;
  bool read_open(RawRef raw, EventBatch& out, Fate& fate);
  void recover(const RawRecord& record, EventBatch& out);
  Slice take_slice(std::string_view slice, bool nested, RawRef raw, EventBatch& out, std::vector<Fate>& found);

  Platform platform_;
  Rules rules_;
  mutable std::unique_ptr<Parsers> parsers_;  // is_complete() parses too
};

// A line of a file in which an agent's terminal keeps what was typed, for the arrow keys.
struct HistoryPrompt {
  Platform platform{};
  std::string session_uid;
  TimeMs time = 0;
  std::string text;  // whole: pasted text in its place
  std::string cwd;
};

// Adds the line as a user_msg with origin history. Commands to the terminal itself ("/clear", "exit") are no prompts.
Fate add_history_prompt(const HistoryPrompt& prompt, RawRef raw, EventBatch& out, std::string_view type);

}  // namespace memd::json
