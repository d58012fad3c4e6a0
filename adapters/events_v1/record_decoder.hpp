#pragma once

#include "adapters/adapter.hpp"
#include "adapters/json/text_reader.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace memd::events_v1 {

// Decodes the lines of an events.v1 file (schemas/json/events.v1.schema.json). A line may name any session.
//   * A line that breaks the schema where it matters (v, id, ts, session_id, actor, kind, body) is skipped with a
//     diagnostic for each field; what is wrong elsewhere is told and the event kept.
//   * A `v` other than 1 is unknown. Events that memd's assembler made (body.derived_from) are skipped: it makes them
//     again.
//   * Event ids: body.event_id, else record_key of session and line id, since ids need be unique within a session only.
class Decoder final : public RecordDecoder {
 public:
  // `default_cwd`: of events that name no directory; may be empty.
  Decoder(Platform platform, std::string default_cwd, json::Detail detail = json::Detail::stored);
  ~Decoder() override;

  void decode(const RawRecord& record, EventBatch& out) override;
  bool is_complete(std::string_view bytes) const override;

 private:
  struct State;

  Platform platform_;
  std::string default_cwd_;
  json::Detail detail_;
  std::unique_ptr<State> state_;
};

}  // namespace memd::events_v1
