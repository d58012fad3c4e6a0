#pragma once

#include "adapters/adapter.hpp"
#include "adapters/json/json_access.hpp"
#include "adapters/json/json_text.hpp"
#include "adapters/json/record_events.hpp"
#include "schemas/event_batch.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memd::opencode {

using namespace json;  // NOLINT(google-build-using-namespace): the whole folder reads JSON

// Creates the events of one message. Event ids do not depend on how a version of opencode stores the message: the n-th
// text, thought or call of the model has event_key(message, 2n), the result of a call 2n + 1. All other events are
// numbered separately (add_note). Must not outlive the message's bytes.
class ItemContext : public RecordEvents {
 public:
  ItemContext(std::string_view session_uid, RawRef raw, Detail detail, EventBatch& out)
      : RecordEvents(Platform::opencode, session_uid, raw, detail, out) {}

  // Add an event. The reference is valid until the next event is added.
  Event& add(EventKind kind, Role role, std::size_t block);  // the next event of the message's content
  Event& add_result(std::size_t block);                      // result of the call added last
  Event& add_note(EventKind kind, Role role, std::size_t block = 0);
  Event& add_lifecycle(std::string_view name, std::size_t block = 0);
  // Sets a lower bound on the time of subsequent events without a time of their own.
  void reach(TimeMs then) { time = std::max(time, then); }

  std::uint64_t key = 0;  // record_key of the message
  TimeMs time = 0;
  bool is_child = false;  // belongs to a subagent
  std::string cwd;
  std::string model;
  std::string agent;

 private:
  Event& add_numbered(EventKind kind, Role role, std::size_t block, std::uint32_t index);

  std::uint32_t next_content_ = 0;
  std::uint32_t next_note_ = 0;
};

// Returns "provider/model", as opencode writes it on its command line.
std::string model_name(TextReader& reader, std::string_view provider, std::string_view model);

// Reads `tokens` of an assistant message. Input excludes cached tokens.
TokenUsage read_usage(od::object& tokens);

// Decodes the items of the readers (session_items.hpp): the head (item 0) and the messages of all versions. One thread
// at a time.
class ItemDecoder : public RecordDecoder {
 public:
  explicit ItemDecoder(const Source& source, Detail detail = Detail::stored);

  void decode(const RawRecord& record, EventBatch& out) override;
  bool is_complete(std::string_view bytes) const override;

 private:
  void read_head(od::object& head, EventBatch& out);

  std::string session_uid_;
  Detail detail_;
  RecordParser parser_;
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
  std::size_t block = 0;
};
void read_tool_part(ItemContext& context, const ToolPart& part, od::object& state);

}  // namespace memd::opencode
