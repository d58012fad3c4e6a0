#pragma once

#include "adapters/adapter.hpp"
#include "adapters/json/json_text.hpp"
#include "adapters/json/record_events.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/event_batch.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace memd::json {

// Creates the events of one record, or one item of a source that is changed in place, with their common fields and ids.
// Set the fields below before the first event. Must not outlive the record's bytes. Borrows `out`; one thread at a
// time.
class RecordBuilder : public RecordEvents, public RecordContext {
 public:
  using RecordEvents::RecordEvents;
  virtual ~RecordBuilder() = default;

  // Sets the record's native id, unique on the platform.
  void identify(std::string_view native_record_id) { identify(record_key(platform(), native_record_id)); }
  void identify(std::uint64_t record) {  // by the key itself
    key_ = record;
    index_ = 0;
  }

  // Adds an event with the common fields set; valid until the next call.
  Event& add(EventKind kind, Role role) { return add(kind, role, block.value_or(index_)); }
  Event& add(EventKind kind, Role role, std::size_t of_block) { return add_as(index_++, kind, role, of_block); }
  Event& add_lifecycle(std::string_view name, std::string_view summary = {}) {
    Event& e = add(EventKind::lifecycle, Role::system);
    e.lifecycle = name;
    e.summary = summary;
    return e;
  }
  // Adds what the model said or thought, unless it is blank. Returns whether it added an event.
  bool add_said(EventKind kind, std::string text) {
    if (trimmed(text).empty()) return false;
    Event& e = add(kind, Role::assistant);
    e.text = std::move(text);
    return true;
  }
  // Adds text that the program puts before the model.
  Event& add_injected(std::string_view lifecycle, std::string text) {
    Event& e = add_lifecycle(lifecycle);
    e.origin = Origin::injected;
    e.text = std::move(text);
    return e;
  }
  // Adds an error; one of the model's service if nothing else is said.
  Event& add_error(std::string text, std::string_view lifecycle = "api_error") {
    Event& e = add(EventKind::error, Role::system);
    e.lifecycle = lifecycle;
    e.is_error = true;
    e.text = std::move(text);
    return e;
  }
  // Adds what a person said; `marks`: what it contains besides. Queued words belong to the turn that is under way.
  Event& add_prompt(Origin origin, std::string text, std::string marks = {}) {
    Event& e = add(EventKind::user_msg, Role::user);
    e.origin = origin;
    e.text = std::move(text);
    e.summary = std::move(marks);
    e.starts_exchange = origin != Origin::queued;
    return e;
  }
  // Adds a compaction, and the summary from which the model goes on, if the record has it.
  void add_compaction(std::string_view details, std::string summary) {
    add_lifecycle("compaction", details);
    if (!trimmed(summary).empty()) add_injected("compact_summary", std::move(summary));
  }
  // Sets the token usage of a response on the record's first event. A record without events gets a lifecycle event
  // "usage".
  void add_usage(const TokenUsage& usage, std::uint64_t response_key, const ResponseFacts& facts = {}) {
    if (usage == TokenUsage{} && !facts.cost_usd) return;
    if (!emitted()) add_lifecycle("usage");
    first_event().response_key = response_key;
    first_event().usage = usage;
    first_event().response = facts;
  }
  // Adds an update of the record's session; valid until the next one.
  SessionUpdate& add_session() { return add_update(session_uid(), time); }

  // Call after the record was read: passes its place in the chain on if it gave no event, marks events with a local id,
  // and reports replaced characters. Returns the outcome with the type that the ledger shows.
  RecordOutcome finish(RecordOutcome outcome, std::string_view type) {
    outcome.type = is_identifier(type) ? type : "(unreadable type)";
    if (outcome.broken) return outcome;
    if (id_is_local) mark_local();
    if (parent && !emitted()) out().silent.push_back({std::string(session_uid()), key_, *parent});
    if (lossy()) diagnose(DiagnosticType::invalid_encoding);
    return outcome;
  }

  std::uint64_t key() const { return key_; }

  std::optional<std::uint64_t> parent;  // key of the record that this one follows; 0: it follows none
  bool model_of_all = false;            // events of other roles have the model, too
  std::optional<std::size_t> block;     // of the events; nullopt: the number of the event in the record

 protected:
  // Adds the event with this number in the record.
  virtual Event& add_as(std::uint32_t index, EventKind kind, Role role, std::size_t of_block) {
    Event& e = emplace(event_key(key_, index), time, kind, role, of_block);
    static_cast<RecordContext&>(e) = *this;
    if (role != Role::assistant && !model_of_all) e.model.clear();
    if (parent) e.parent_id = index == 0 ? *parent : key_;
    return e;
  }

 private:
  void mark_local() {
    for (Event& e : events()) {
      e.id_is_local = true;
      if (e.input_hash != 0) continue;
      // An estimated time may be another one in a copy.
      const TimeMs told = e.time_estimated ? 0 : e.time;
      e.input_hash = hash_combine(hash64(e.text, hash64(e.summary)), static_cast<std::uint64_t>(told));
      // Two responses of the same second differ in nothing else.
      if (!e.text.empty() || !e.summary.empty() || e.usage == TokenUsage{}) continue;
      for (const std::int64_t tokens : {e.usage.input, e.usage.output, e.usage.cache_read, e.usage.cache_creation})
        e.input_hash = hash_combine(e.input_hash, static_cast<std::uint64_t>(tokens));
    }
  }

  std::uint64_t key_ = 0;
  std::uint32_t index_ = 0;
};

}  // namespace memd::json
