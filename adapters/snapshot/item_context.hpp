#pragma once

#include "adapters/json/json_text.hpp"
#include "adapters/json/record_events.hpp"
#include "schemas/event_batch.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memd::snapshot {

// Creates the events of one item with their common fields and ids. Must not outlive the item's bytes. Borrows `out`;
// one thread at a time.
class ItemContext : public json::RecordEvents {
 public:
  ItemContext(Platform platform, std::string_view session_uid, RawRef raw, json::Detail detail, EventBatch& out)
      : RecordEvents(platform, session_uid, raw, detail, out) {}

  // Sets the record's native id. Call before the first event.
  void identify(std::string_view native_record_id) { key_ = record_key(platform(), native_record_id); }

  // Adds an event with the common fields set. Its block is its number in the item. Valid until the next call.
  Event& add(EventKind kind, Role role) {
    const std::uint32_t index = index_++;
    Event& e = emplace(event_key(key_, index), time, kind, role, index);
    e.time_estimated = time_estimated;
    e.cwd = cwd;
    if (role == Role::assistant) e.model = model;
    e.is_sidechain = is_sidechain;
    return e;
  }
  Event& add_lifecycle(std::string_view name, std::string_view summary = {}) {
    Event& e = add(EventKind::lifecycle, Role::system);
    e.lifecycle = name;
    e.summary = summary;
    return e;
  }
  // Sets the token usage of a response on the item's first event. An item without events gets a lifecycle event
  // "usage".
  void add_usage(const TokenUsage& usage, std::uint64_t response_key) {
    if (usage == TokenUsage{}) return;
    if (!emitted()) add_lifecycle("usage");
    first_event().response_key = response_key;
    first_event().usage = usage;
  }

  std::uint64_t key() const { return key_; }

  TimeMs time = 0;
  bool time_estimated = false;
  bool is_sidechain = false;
  std::string cwd;
  std::string model;

 private:
  std::uint64_t key_ = 0;
  std::uint32_t index_ = 0;
};

}  // namespace memd::snapshot
