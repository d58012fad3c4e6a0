#pragma once

#include "schemas/time.hpp"

#include <cstdint>
#include <string>
#include <string_view>

// The items of Cursor's sources, as the decoder reads them: {"k":<kind>,"id":…,"t":…,"e":1,"sub":1,…,"v":<value>} in
// one line. "v" is the value as Cursor wrote it. What no parser accepts stands in "damaged", as text.
namespace memd::cursor {

namespace item_kind {
inline constexpr std::string_view kHead = "head";        // facts about a session
inline constexpr std::string_view kBubble = "bubble";    // v: a bubble of a composer
inline constexpr std::string_view kTab = "tab";          // v: a bubble of a chat tab, up to 0.45
inline constexpr std::string_view kMessage = "message";  // v: {role, content} of an agent back end
inline constexpr std::string_view kText = "text";        // role and text: a stretch of a transcript in plain text
inline constexpr std::string_view kPrompt = "prompt";    // text: an entry of the prompt history
inline constexpr std::string_view kBinary = "binary";    // bytes: a message that is no JSON
}  // namespace item_kind

class ItemJson {
 public:
  explicit ItemJson(std::string_view kind);

  // Fields that are empty or 0 are left out.
  ItemJson& text(std::string_view key, std::string_view value);
  ItemJson& number(std::string_view key, std::int64_t value);
  ItemJson& flag(std::string_view key, bool value);
  ItemJson& time(TimeMs time, bool estimated);

  std::string finish() &&;
  std::string finish(std::string_view value) &&;  // with "v", or "damaged" when it is no JSON object

 private:
  void key(std::string_view key);
  std::string json_;
};

// Whether a strict parser takes it, as a whole, for an object.
bool is_json_object(std::string_view json);

}  // namespace memd::cursor
