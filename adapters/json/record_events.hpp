#pragma once

#include "adapters/json/json_text.hpp"
#include "schemas/event_batch.hpp"
#include "schemas/ids.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace memd::json {

// Creates the events of one record: the part shared by all platforms (session, source position, diagnostics). Derived
// classes set event ids and platform-specific fields. Must not outlive the record's bytes, the session's uid and the
// batch; one thread at a time.
class RecordEvents : public TextReader {
 public:
  RecordEvents(Platform platform, std::string_view session_uid, RawRef raw, Detail detail, EventBatch& out)
      : TextReader(detail),
        platform_(platform),
        session_uid_(session_uid),
        raw_(raw),
        out_(out),
        first_(out.events.size()) {}

  void diagnose(DiagnosticType type, std::vector<FieldName> fields = {}) {
    out_.diagnostics.push_back({platform_, type, Severity::warning, std::move(fields), 0, raw_.offset});
  }

  // Add an update of a session, or of one that this record's session started; valid until the next one.
  SessionUpdate& add_update(std::string_view session_uid, TimeMs time) {
    SessionUpdate& update = out_.sessions.emplace_back();
    update.session_uid = session_uid;
    update.platform = platform_;
    if (const auto parts = split_session_uid(session_uid)) update.native_id = parts->native_id;
    update.time = time;
    return update;
  }
  SessionUpdate& add_subagent(std::string_view session_uid, std::string_view call_id, TimeMs time) {
    SessionUpdate& update = add_update(session_uid, time);
    update.kind = SessionKind::subagent;
    update.parent_uid = session_uid_;
    update.parent_call_id = call_id;
    return update;
  }

  Platform platform() const { return platform_; }
  std::string_view session_uid() const { return session_uid_; }
  RawRef raw() const { return raw_; }
  EventBatch& out() { return out_; }
  std::span<Event> events() { return std::span(out_.events).subspan(first_); }  // of the record
  bool emitted() const { return out_.events.size() > first_; }
  Event& first_event() { return out_.events[first_]; }  // only if emitted()

 protected:
  // Adds an event. The reference is valid until the next one is added.
  Event& emplace(std::uint64_t event_id, TimeMs time, EventKind kind, Role role, std::size_t block) {
    Event& e = out_.events.emplace_back();
    e.session_uid = session_uid_;
    e.event_id = event_id;
    e.time = time;
    e.kind = kind;
    e.role = role;
    e.raw = raw_;
    e.raw.block = static_cast<std::uint16_t>(std::min<std::size_t>(block, std::numeric_limits<std::uint16_t>::max()));
    return e;
  }

 private:
  Platform platform_;
  std::string_view session_uid_;
  RawRef raw_;
  EventBatch& out_;
  std::size_t first_;
};

}  // namespace memd::json
