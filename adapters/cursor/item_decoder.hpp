#pragma once

#include "adapters/adapter.hpp"
#include "adapters/json/log_decoder.hpp"
#include "adapters/json/record_builder.hpp"

#include <string>
#include <string_view>

namespace memd::cursor {

using namespace json;  // NOLINT(google-build-using-namespace): the whole folder reads JSON
using ItemContext = RecordBuilder;

MEMD_KEYS(ItemKeys, k, id, t, e, sub, lossy, role, text, damaged);

// Sets the time of what follows, as the record itself states it. 0: it does not.
void take_time(ItemContext& c, TimeMs said);
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
class ItemDecoder final : public KeyedDecoder<ItemKeys> {
 public:
  ItemDecoder(const Source& source, Detail detail)
      : KeyedDecoder(Platform::cursor, source.session_uid, detail, {.items = true}) {}

 protected:
  bool surely_a_record() const override { return false; }
  RecordOutcome read(od::object& item, RawRef raw, EventBatch& out) override;

 private:
  RecordOutcome read_kind(ItemContext& context, od::object& item) const;
};

}  // namespace memd::cursor
