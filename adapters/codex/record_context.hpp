#pragma once

#include "adapters/json/json_text.hpp"
#include "adapters/json/log_decoder.hpp"
#include "adapters/json/record_events.hpp"
#include "schemas/event_batch.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace memd::codex {

using namespace json;  // NOLINT(google-build-using-namespace): the whole folder reads JSON

// What stands around one item of a rollout.
struct Line {
  std::string_view session_uid;
  std::string_view type;       // of the line; "response_item" for the bare items of the oldest files
  std::string_view timestamp;  // as it stands in the file, without quotes; empty in the oldest files
  RawRef raw;
};

// Makes the events of one record with the fields and the ids they share. Refers to the record's bytes and does not
// outlive them. One thread at a time.
//
// Ids: what the platform names (messages, calls) is one event in every copy, wherever the copy stands. Where a build
// names the turn but not the message, a turn and a text are one event. All else is known only as "this text, in this
// session, at this time": Event::id_is_local is set, and the store finds copies in forks by their text.
class RecordContext : public RecordEvents {
 public:
  RecordContext(const Line& line, Detail detail, EventBatch& out);

  void identify_by(std::string_view kind, std::string_view native_id, std::uint64_t content);
  void identify_by_turn(std::string_view kind, std::string_view turn_id, std::uint64_t content);
  void identify_locally(std::string_view kind, std::uint64_t content);
  void identify_in_session(std::string_view kind, std::uint64_t content);  // whatever the time: repeats are one event

  // A new event with the shared fields filled. Valid until the next call. One of identify_… comes first.
  Event& add(EventKind kind, Role role, std::size_t block = 0);
  Event& add_lifecycle(std::string_view name, std::string_view summary = {});
  SessionUpdate& update(std::string_view session_uid);

  const Line& line() const { return line_; }
  TimeMs time() const { return time_; }

 private:
  const Line& line_;
  TimeMs time_ = 0;
  std::uint64_t key_ = 0;
  std::uint64_t content_ = 0;
  bool local_ = true;
  std::uint32_t index_ = 0;
};

}  // namespace memd::codex
