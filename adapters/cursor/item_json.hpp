#pragma once

#include "adapters/cursor/composer.hpp"
#include "adapters/cursor/state_rows.hpp"
#include "adapters/json/json_writer.hpp"
#include "adapters/snapshot/held_items.hpp"
#include "schemas/base/timestamp.hpp"

#include <cstdint>
#include <string>
#include <string_view>

// The items of Cursor's sources, in the format the decoder reads: {"k":<kind>,"id":…,"t":…,"e":1,"sub":1,…,"v":<value>}
// on one line. "v" is the value as Cursor wrote it. A value that no parser accepts is stored in "damaged", as text.
namespace memd::cursor {

namespace item_kind {
inline constexpr std::string_view kHead = "head";        // facts about a session
inline constexpr std::string_view kBubble = "bubble";    // v: a bubble of a composer
inline constexpr std::string_view kTab = "tab";          // v: a bubble of a chat tab, up to 0.45
inline constexpr std::string_view kMessage = "message";  // v: {role, content} of an agent back end
inline constexpr std::string_view kText = "text";        // role and text: a section of a plain text transcript
inline constexpr std::string_view kPrompt = "prompt";    // text: an entry of the prompt history
inline constexpr std::string_view kBinary = "binary";    // bytes: size of a message that is no JSON
}  // namespace item_kind

// Builds the JSON of one item, member by member. Owns the text. One thread at a time.
class ItemJson {
 public:
  explicit ItemJson(std::string_view kind) { json_.text("k", kind); }

  // Empty and 0 fields are omitted.
  ItemJson& text(std::string_view key, std::string_view value) { return json_.some_text(key, value), *this; }
  ItemJson& number(std::string_view key, std::int64_t value) { return json_.some_number(key, value), *this; }
  ItemJson& flag(std::string_view key, bool value) { return number(key, value ? 1 : 0); }
  ItemJson& time(TimeMs time, bool estimated) { return number("t", time).flag("e", estimated && time != 0); }

  std::string finish() &&;
  std::string finish(std::string_view value) &&;  // with "v", or with "damaged" when the value is no JSON object

 private:
  json::ObjectWriter json_;
};

// Returns whether a strict parser accepts the whole text as one object.
bool is_json_object(std::string_view json);

using snapshot::kHeadKey;

// Returns the head of a session: Cursor's data on the whole conversation.
std::string head_json(const Composer& composer, const CatalogueEntry& catalogue, std::string_view folder);

// Returns an id that is unique in all of Cursor. A bubble keeps its own id in all places. Other ids (numbers, names of
// blobs) are unique within a conversation only.
std::string record_id(const std::string& conversation, const std::string& entry);

// Returns the version of an item: a hash of its value that is never 0.
std::uint64_t version_of(std::string_view value);

}  // namespace memd::cursor
