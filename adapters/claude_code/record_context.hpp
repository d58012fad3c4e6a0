#pragma once

#include "adapters/claude_code/envelope.hpp"
#include "adapters/json/text_reader.hpp"
#include "schemas/event_batch.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace memd::claude_code {

// Builds the events of one record, or of the message inside one: the fields every event of it shares, and the ids.
// Lives as long as the record's bytes.
class RecordContext : public TextReader {
 public:
  // `session_uid`: the session the events belong to. `raw.block` is set per event.
  RecordContext(const Envelope& envelope, std::string_view session_uid, RawRef raw, Detail detail, EventBatch& out);

  // A new event with the shared fields filled. Valid until the next call.
  Event& add(EventKind kind, Role role, std::size_t block = 0);
  Event& add_lifecycle(std::string_view name, std::string_view summary = {});
  void diagnose(DiagnosticType type, std::vector<FieldName> fields = {});

  // The session of an agent of the main session at hand.
  std::string agent_uid(std::string_view agent_id) const;
  // Says that `agent_id` is a subagent that the call `call_id` started.
  void link_agent(std::string_view agent_id, std::string_view call_id);

  const Envelope& envelope() const { return envelope_; }
  std::string_view session_uid() const { return session_uid_; }
  std::uint64_t key() const { return key_; }
  void set_key(std::uint64_t key) { key_ = key; }
  TimeMs time() const { return envelope_.time(); }
  RawRef raw() const { return raw_; }
  EventBatch& out() { return out_; }
  bool emitted() const { return index_ > 0; }

  // The words of "user" records are the parent agent's.
  bool sidechain = false;
  // The events belong to a session of that agent's own, not to the one it works for.
  bool own_session = false;

 private:
  const Envelope& envelope_;
  std::string_view session_uid_;
  RawRef raw_;
  EventBatch& out_;
  std::uint64_t key_ = 0;
  std::uint32_t index_ = 0;
};

}  // namespace memd::claude_code
