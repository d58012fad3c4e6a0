#pragma once

#include "adapters/adapter.hpp"
#include "adapters/json/json_access.hpp"
#include "adapters/json/json_text.hpp"
#include "adapters/json/record_events.hpp"
#include "schemas/event_batch.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace memd::cursor {

namespace od = json::od;

// Creates the events of one item with their common fields and ids. Must not outlive the item's bytes. Borrows `out`;
// one thread at a time.
class ItemContext : public json::RecordEvents {
 public:
  ItemContext(std::string_view session_uid, RawRef raw, json::Detail detail, EventBatch& out)
      : RecordEvents(Platform::cursor, session_uid, raw, detail, out) {}

  // Sets the native id of the record; unique on this platform.
  void set_id(std::string_view id);

  // Sets the time of what follows, as the record itself states it. 0: it does not.
  void take_time(TimeMs said);
  // Adds an event. Valid until the next call.
  Event& add(EventKind kind, Role role, std::size_t block = 0);
  // Sets the usage on the item's first event. An item without events gets an event for it.
  void add_usage(const TokenUsage& usage);

  TimeMs time = 0;
  bool time_estimated = false;
  bool subagent = false;  // text under the user role is the parent agent's task
  std::string model;
  std::string cwd;

 private:
  std::uint64_t key_ = 0;
  std::uint32_t index_ = 0;
};

// Emits a human turn, or in a subagent the task it was given.
void emit_prompt(ItemContext& c, std::string text);
void emit_answer(ItemContext& c, std::string text, std::size_t block = 0);
void emit_thinking(ItemContext& c, std::string text, std::size_t block = 0);

// Readers of the kinds of items. `value` is the object under "v".
RecordOutcome read_bubble(ItemContext& c, od::object& value);
RecordOutcome read_tab_bubble(ItemContext& c, od::object& value);
RecordOutcome read_message(ItemContext& c, od::object& value);
RecordOutcome read_head(ItemContext& c, od::object& item);

// Reads "toolFormerData": a call and its result.
bool read_tool(ItemContext& c, od::object& tool);

// Returns the access of a tool of the IDE or of cursor-agent to the file named in its input.
std::optional<FileAccess> access_of(std::string_view tool);

// Decodes the items described in adapters/cursor/item_json.hpp. One thread at a time.
class ItemDecoder : public RecordDecoder {
 public:
  explicit ItemDecoder(const Source& source, json::Detail detail = json::Detail::stored);
  ~ItemDecoder() override;

  void decode(const RawRecord& record, EventBatch& out) override;
  bool is_complete(std::string_view bytes) const override;

 private:
  RecordOutcome read(const RawRecord& record, EventBatch& out, std::string_view& type);
  bool open(std::string_view json, od::object& item) const;

  struct Parser;
  std::string session_uid_;
  json::Detail detail_;
  std::unique_ptr<Parser> parser_;
};

}  // namespace memd::cursor
