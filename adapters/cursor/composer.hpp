#pragma once

#include "schemas/base/timestamp.hpp"
#include "schemas/session.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memd::cursor {

// A conversation parsed from the value of `composerData:<id>`. Builds up to about 0.43 contain the bubbles
// ("conversation"), later ones their ids ("fullConversationHeadersOnly"). Where an agent back end keeps the messages,
// there is a reference to them ("conversationState"). There is no public source.
struct Composer : SessionAttributes {
  struct Entry {
    std::string id;
    bool user = false;
    std::size_t begin = 0;  // offset of the bubble in the value; begin == end: it has its own row
    std::size_t end = 0;
    bool is_inline() const { return end > begin; }
  };

  std::string status;
  std::string parent_id;  // the composer whose agent started this one
  std::string state;      // conversationState, if not empty
  std::int64_t cost_cents = 0;
  bool archived = false;
  bool has_draft = false;
  std::vector<Entry> entries;      // in order, each id once
  std::vector<std::string> files;  // absolute paths of the files in the conversation
};

// Returns nullopt when the value is no JSON object. Offsets in the entries refer to `value`.
std::optional<Composer> parse_composer(std::string_view value);

// An object of a list in a document: its byte range, and the text of one of its fields. `list` names the member that is
// the list; empty: the document is the list.
struct Element {
  std::string id;
  std::size_t begin = 0;
  std::size_t end = 0;
};
std::vector<Element> elements_of(std::string_view document, std::string_view list, std::string_view id_key);

// Return a field of an object. Empty or 0 when it is missing or has another type.
std::string text_field(std::string_view object, std::string_view name);
std::int64_t number_field(std::string_view object, std::string_view name);

// Returns the folder that contains all files; empty when there is none, or only the top of a disk.
std::string common_folder(const std::vector<std::string>& files);

// The times stated in a bubble. "createdAt" exists since about autumn 2025. Before, the first answer of a turn has the
// times at which the request was sent and the turn ended. Its "clientStartTime" counts from the start of the window and
// is unusable.
struct OwnTime {
  TimeMs created = 0;
  TimeMs turn_started = 0;
  TimeMs turn_ended = 0;
};
OwnTime read_own_time(std::string_view bubble);

struct TimedBubble {
  bool user = false;
  OwnTime own;
};

struct BubbleTime {
  TimeMs time = 0;
  bool estimated = false;
};

// Assigns a time to each bubble of a conversation, in order. Bubbles without one are spread evenly between their
// neighbours. The conversation's own times bound both ends.
std::vector<BubbleTime> bubble_times(std::span<const TimedBubble> bubbles, TimeMs created, TimeMs updated);

// Messages of the agent back end are JSON in blobs named by the SHA-256 of their content. A protobuf message lists the
// names.

// Returns the 32-byte values of field 1 of a protobuf message, in order, in hexadecimal. Stops at invalid protobuf.
std::vector<std::string> child_ids(std::string_view protobuf);

// Decodes "conversationState" of a composer: "~" and base64 or hexadecimal. Empty when it is neither.
std::string decode_state(std::string_view state);

// Decodes hexadecimal digits, in which cursor-agent writes its JSON. Empty when they are invalid.
std::string from_hex(std::string_view digits);

}  // namespace memd::cursor
