#pragma once

#include "adapters/adapter.hpp"
#include "adapters/json/json_access.hpp"
#include "adapters/json/recovery.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace memd::json {

// What became of one record of a log, and its line in the ledger. `broken`: its inside is not JSON; nothing of it is
// kept.
struct Fate {
  bool broken = false;
  Disposition disposition = Disposition::indexed;
  std::string_view reason;
  std::string type;  // ledger type

  static Fate indexed() { return {}; }
  static Fate skipped(std::string_view reason) { return {false, Disposition::skipped, reason, {}}; }
  static Fate unknown(std::string_view reason) { return {false, Disposition::unknown, reason, {}}; }
  static Fate damaged() { return {true, Disposition::skipped, "damaged", {}}; }
};

// The part of a RecordDecoder that all logs of JSON objects share: one object a line, blank lines, torn and glued
// lines, bytes that are not UTF-8. One simdjson parser, reused; what is not asked for is skipped, not materialised.
class LogDecoder : public RecordDecoder {
 public:
  explicit LogDecoder(Platform platform);
  ~LogDecoder() override;

  void decode(const RawRecord& record, EventBatch& out) final;
  bool is_complete(std::string_view bytes) const final;

 protected:
  // Walks all fields of a record's object and keeps what it needs of them; false when they are not JSON.
  virtual bool open(od::object& root) const = 0;
  // Decodes the record just opened, its object at the first field. What is added for a broken one is taken back.
  virtual Fate read(od::object& root, RawRef raw, EventBatch& out) = 0;
  // Whether the object just opened, found inside a torn line, is a record for certain and not a part of the torn one.
  virtual bool surely_a_record() const = 0;

 private:
  struct Parsers;
  bool open_object(std::string_view json) const;
  bool read_open(RawRef raw, EventBatch& out, Fate& fate);
  void recover(const RawRecord& record, EventBatch& out);
  Slice take_slice(std::string_view slice, bool nested, RawRef raw, EventBatch& out, std::vector<Fate>& found);

  Platform platform_;
  mutable std::unique_ptr<Parsers> parsers_;  // is_complete() parses too; one thread at a time
};

}  // namespace memd::json
