#pragma once

#include "adapters/adapter.hpp"
#include "adapters/json/log_decoder.hpp"
#include "adapters/json/record_builder.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace memd::opencode {

using namespace json;  // NOLINT(google-build-using-namespace): the whole folder reads JSON

// Creates the events of one message. Event ids do not depend on how a version of opencode stores the message: the n-th
// text, thought or call has event_key(message, 2n), the result of a call 2n + 1. All other events are numbered apart.
// Must not outlive the message's bytes.
class ItemContext : public RecordBuilder {
 public:
  ItemContext(Platform platform, std::string_view session_uid, RawRef raw, Detail detail, EventBatch& out)
      : RecordBuilder(platform, session_uid, raw, detail, out) {
    model_of_all = true;
    block = 0;
  }

  // Adds what the model said or thought at `told` (0: unknown). A blank text gives no event but is counted, so that the
  // others keep their ids. Returns the event; null: there is none.
  Event* add_said(bool thought, TimeMs told, std::string text);
  void add_failure(std::string name, std::string_view message);
  std::uint64_t response_key() const { return event_key(key(), 0xffff); }
  // Sets a lower bound on the time of subsequent events without a time of their own.
  void reach(TimeMs then) { time = std::max(time, then); }

 private:
  Event& add_as(std::uint32_t index, EventKind kind, Role role, std::size_t of_block) override;

  std::uint32_t next_content_ = 0;
  std::uint32_t next_note_ = 0;
};

// Returns "provider/model", as opencode writes it on its command line.
std::string model_name(TextReader& reader, std::string_view provider, std::string_view model);

// Reads `tokens` of an assistant message. Input excludes cached tokens.
TokenUsage read_usage(od::object& tokens);

MEMD_KEYS(ItemKeys, id, child, created, type, data);

// Decodes the items of the readers (session_items.hpp): the head (item 0) and the messages of all versions. One thread
// at a time.
class ItemDecoder final : public KeyedDecoder<ItemKeys> {
 public:
  ItemDecoder(const Source& source, Detail detail)
      : KeyedDecoder(source.platform, source.session_uid, detail, {.strict = true, .items = true}) {}

 protected:
  RecordOutcome read(od::object& root, RawRef raw, EventBatch& out) override;
};

// Reads a message of 1.x, with its parts.
RecordOutcome read_message(ItemContext& context, od::object& root);
// Reads a row of session_message, of 2.x.
RecordOutcome read_record(ItemContext& context, std::string_view type, od::object& root);

// A tool call and its result, which are stored in one part. `state` is the part's object "state"; times are those
// beside it (0: use the state's).
struct ToolPart {
  std::string tool;
  std::string call_id;
  TimeMs started = 0;
  TimeMs ended = 0;
};
void read_tool_part(ItemContext& context, const ToolPart& part, od::object& state);

}  // namespace memd::opencode
