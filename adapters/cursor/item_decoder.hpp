#pragma once

#include "adapters/adapter.hpp"
#include "adapters/json/json_access.hpp"
#include "adapters/json/json_text.hpp"
#include "schemas/event_batch.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace memd::cursor {

namespace od = json::od;

// Builds the events of one item: the fields all of them share, and the ids. Lives as long as the item's bytes.
class ItemContext : public json::TextReader {
 public:
  ItemContext(std::string_view session_uid, RawRef raw, json::Detail detail, EventBatch& out)
      : TextReader(detail), session_uid_(session_uid), raw_(raw), out_(out), first_(out.events.size()) {}

  // Native id of the record; unique on this platform.
  void set_id(std::string_view id);

  // Valid until the next call.
  Event& add(EventKind kind, Role role, std::size_t block = 0);
  void diagnose(DiagnosticType type, std::vector<FieldName> fields = {});
  // Gives the usage to the first event of the item, or to one of its own where there is none.
  void add_usage(const TokenUsage& usage);

  std::string_view session_uid() const { return session_uid_; }
  EventBatch& out() { return out_; }
  bool emitted() const { return out_.events.size() > first_; }

  TimeMs time = 0;
  bool time_estimated = false;
  bool subagent = false;  // what a "user" says is the parent agent's task
  std::string model;
  std::string cwd;

 private:
  std::string_view session_uid_;
  RawRef raw_;
  EventBatch& out_;
  std::size_t first_;
  std::uint64_t key_ = 0;
};

// A human turn, or in a subagent the task it was given.
void emit_prompt(ItemContext& c, std::string text);
void emit_answer(ItemContext& c, std::string text, std::size_t block = 0);
void emit_thinking(ItemContext& c, std::string text, std::size_t block = 0);

// Kinds of items. `value` is the object under "v".
Fate read_bubble(ItemContext& c, od::object& value);
Fate read_tab_bubble(ItemContext& c, od::object& value);
Fate read_message(ItemContext& c, od::object& value);
Fate read_head(ItemContext& c, od::object& item);

// The inside of "toolFormerData": a call and what came of it.
bool read_tool(ItemContext& c, od::object& tool);

// What the tools of Cursor, of the IDE and of cursor-agent, do to the file their input names.
std::optional<FileAccess> access_of(std::string_view tool);

// What a person typed, without the tags cursor-agent wraps it in; `injected` if nothing in it is a person's.
struct Words {
  std::string_view text;
  bool injected = false;
};
Words typed_words(std::string_view text);

// Items as adapters/cursor/item_json.hpp describes them.
class ItemDecoder : public RecordDecoder {
 public:
  explicit ItemDecoder(const Source& source, json::Detail detail = json::Detail::stored);
  ~ItemDecoder() override;

  void decode(const RawRecord& record, EventBatch& out) override;
  bool is_complete(std::string_view bytes) const override;

 private:
  Fate read(const RawRecord& record, EventBatch& out, std::string_view& type);
  bool open(std::string_view json, od::object& item) const;

  struct Parser;
  std::string session_uid_;
  json::Detail detail_;
  std::unique_ptr<Parser> parser_;
};

}  // namespace memd::cursor
