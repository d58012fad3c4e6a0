#pragma once

#include "adapters/adapter.hpp"
#include "adapters/cline/model_text.hpp"
#include "adapters/cline/task_messages.hpp"
#include "adapters/cline/tool_output.hpp"
#include "adapters/json/log_decoder.hpp"
#include "adapters/json/record_builder.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memd::cline {

using namespace json;  // NOLINT(google-build-using-namespace): the whole folder reads JSON
using ItemContext = RecordBuilder;

MEMD_KEYS(ItemKeys, key, record, head, damaged, cwd, first, subtask, superseded, repeated, cache_in_input, dropped,
          block, calls, results, ui, more, message, time, estimated, compaction, copied);

// Decodes the items of both generations, in the formats described at TaskReader and SessionReader. One thread at a
// time.
class ItemDecoder final : public KeyedDecoder<ItemKeys> {
 public:
  ItemDecoder(const Source& source, Detail detail)
      : KeyedDecoder(source.platform, source.session_uid, detail, {.items = true}) {}

 protected:
  RecordOutcome read(od::object& item, RawRef raw, EventBatch& out) override;
};

// Private to the decoder: the shape of items, and a function for each kind.

struct ItemFields {
  const ItemKeys& keys;
  std::string key;
  std::vector<ToolCall> calls;
};

// Calls, each of which is matched to one result. Borrows them.
class OpenCalls {
 public:
  explicit OpenCalls(const std::vector<ToolCall>& calls) : calls_(calls), answered_(calls.size()) {}

  // Return the first open call with this id, or that may be shown as this tool; null if there is none.
  const ToolCall* by_id(std::string_view id) {
    return take([&](const ToolCall& c) { return c.id == id; });
  }
  const ToolCall* by_tool(std::string_view tool) {
    return take([&](const ToolCall& c) { return may_show(c.tool, tool); });
  }

 private:
  template <class Fits>
  const ToolCall* take(Fits&& fits) {
    for (std::size_t i = 0; i < calls_.size(); ++i)
      if (!answered_[i] && fits(calls_[i])) {
        answered_[i] = true;
        return &calls_[i];
      }
    return nullptr;
  }
  const std::vector<ToolCall>& calls_;
  std::vector<bool> answered_;
};

RecordOutcome read_head(ItemContext& c, od::object& item);
// Sets `type` to the record type for the ledger.
RecordOutcome read_ui(ItemContext& c, od::object& item, const ItemFields& fields, std::string& type);
RecordOutcome read_message(ItemContext& c, od::object& item, const ItemFields& fields, std::string& type);
RecordOutcome read_compaction(ItemContext& c, od::object& item);

// Reads an api_req_started message: results of the preceding calls, tokens, the reason of a failure.
RecordOutcome read_request(ItemContext& c, od::object& item, const ItemFields& fields, std::string_view text);

void emit_result(ItemContext& c, const ToolCall& call, std::string_view text, bool is_error);
// Emits the results in a text, under their headings.
void emit_text_results(ItemContext& c, std::string_view text, OpenCalls& calls);
// For a tool_result block, whose content (the member `key`) may have any form.
ToolOutput read_output(ItemContext& c, od::object& block, std::string_view key = "content");
void emit_output(ItemContext& c, const ToolCall& call, const ToolOutput& output, bool is_error);
// Sets the fields of a call from its input: a JSON value, or text.
bool read_block_input(ItemContext& c, od::object& block, Event& call);
void read_text_input(ItemContext& c, std::string_view input, Event& call);

}  // namespace memd::cline
