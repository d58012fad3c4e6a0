#pragma once

#include "adapters/events_v1/line_reader.hpp"
#include "adapters/json/log_decoder.hpp"

#include <string>
#include <string_view>

namespace memd::events_v1 {

// Decodes the lines of an events.v1 file (schemas/json/events.v1.schema.json). A line may name any session.
//   * A line that breaks the schema where it matters (v, id, ts, session_id, actor, kind, body) is skipped with a
//     diagnostic for each field; what is wrong elsewhere is told and the event kept.
//   * A `v` other than 1 is unknown. Events that memd's assembler made (body.derived_from) are skipped: it makes them
//     again.
//   * Event ids: body.event_id, else record_key of session and line id, since ids need be unique within a session only.
// One thread at a time.
class Decoder final : public LogDecoder {
 public:
  // `default_cwd`: of events that name no directory; may be empty.
  Decoder(Platform platform, std::string default_cwd, Detail detail = Detail::stored);

 protected:
  bool open(od::object& root) const override;
  Fate read(od::object& root, RawRef raw, EventBatch& out) override;
  bool surely_a_record() const override;

 private:
  bool check_outer(Record& record, EventBatch& out) const;
  bool read_refs(od::object& root, Record& record, EventBatch& out) const;
  void tell(EventBatch& out, RawRef raw, DiagnosticType type, FieldName field) const;

  enum : std::size_t { kV, kId, kTs, kSession, kActor, kKind, kRefs, kBody, kTopKeys };
  static constexpr KeyTable<kTopKeys> kTopTable{{"v", "id", "ts", "session_id", "actor", "kind", "refs", "body"}};

  Platform platform_;
  std::string default_cwd_;
  Detail detail_;
  mutable Tokens<kTopKeys> top_{};  // of the line at hand
};

}  // namespace memd::events_v1
