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

// Makes the events of one message. Their ids do not depend on how a version of opencode stores the message: the n-th
// thing the model said, thought or called has event_key(message, 2n), the result of a call 2n + 1. All else has numbers
// of its own (add_note). Does not outlive the message's bytes.
class ItemContext : public RecordEvents {
 public:
  ItemContext(std::string_view session_uid, RawRef raw, Detail detail, EventBatch& out)
      : RecordEvents(Platform::opencode, session_uid, raw, detail, out) {}

  // Valid until the next event is added.
  Event& add(EventKind kind, Role role, std::size_t block);  // the next of the message's own content
  Event& add_result(std::size_t block);                      // of the call added last
  Event& add_note(EventKind kind, Role role, std::size_t block = 0);
  Event& add_lifecycle(std::string_view name, std::size_t block = 0);
  // Events added from now on are not older than this, unless they have a time of their own.
  void reach(TimeMs then) { time = std::max(time, then); }

  std::uint64_t key = 0;  // record_key of the message
  TimeMs time = 0;
  bool is_child = false;  // a subagent's
  std::string cwd;
  std::string model;
  std::string agent;

 private:
  Event& add_numbered(EventKind kind, Role role, std::size_t block, std::uint32_t index);

  std::uint32_t next_content_ = 0;
  std::uint32_t next_note_ = 0;
};

// "provider/model", as opencode writes it on its command line.
std::string model_name(TextReader& reader, std::string_view provider, std::string_view model);

// `tokens` of an assistant's message: input does not hold what came from the cache.
TokenUsage read_usage(od::object& tokens);

// Decodes the items that the readers show (session_items.hpp): the head (item 0) and the messages of all versions. One
// thread at a time.
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

// A message of 1.x, with its parts.
Fate read_message(ItemContext& context, od::object& root);
// A row of session_message, of 2.x.
Fate read_record(ItemContext& context, std::string_view type, od::object& root);

// A call of a tool and what came of it, which stand together in one part. `state` is its object "state"; times are what
// the part says beside it (0: the state knows).
struct ToolPart {
  std::string tool;
  std::string call_id;
  TimeMs started = 0;
  TimeMs ended = 0;
  std::size_t block = 0;
};
void read_tool_part(ItemContext& context, const ToolPart& part, od::object& state);

}  // namespace memd::opencode
