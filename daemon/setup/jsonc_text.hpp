#pragma once

#include "schemas/base/result.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Edits configuration files of other programs. Accepts JSON with comments, trailing commas and a byte order mark, and
// an empty file. Edits are made in the text, so only the bytes that have to change do. Why this is not a library:
// docs/decisions/0018-configuration-of-clients.md. Pure functions; any thread.
namespace memd::setup {

enum class JsonDialect {
  strict,         // as JSON.parse takes it
  only_comments,  // comments as well
  with_comments,  // comments and trailing commas as well
};

struct JsonElement;

// A value and its position in the text.
struct JsonValue {
  enum class Kind { object, array, string, other };
  Kind kind = Kind::other;
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string string;                 // decoded, of a string
  std::vector<JsonElement> elements;  // of an object or array

  const JsonElement* find(std::string_view key) const;  // the last one of that name, as parsers choose it
};

struct JsonElement {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::string key;            // decoded; empty in an array
  std::size_t begin = 0;      // of the key; in an array, of the value
  std::size_t comma = kNone;  // offset of the comma after the value
  JsonValue value;
};

// Returns the root. For a text of blanks and comments only, that is an object without elements and with begin == end.
// Errc::bad_config says "line 3: …". At most 200 levels deep.
Result<JsonValue> parse_jsonc(std::string_view text, JsonDialect dialect);

// Returns the value at a path of keys; null: there is none.
const JsonValue* find_value(const JsonValue& root, std::span<const std::string> path);

// Returns the value without blanks and comments, with strings in one notation. Equal values give equal texts if their
// members have the same order.
std::string compact_json(std::string_view text, const JsonValue& value);

// Returns the text with `value` (compact JSON) at the path. Creates missing objects on the way, over several lines if
// the text is. An existing equal value is not touched. Errc::bad_config: a value on the way is not an object.
Result<std::string> with_member(std::string_view text, JsonDialect dialect, std::span<const std::string> path,
                                std::string_view value);

// Returns the text without the member at the path. Objects on the way that become empty are removed too, but not the
// root.
Result<std::string> without_member(std::string_view text, JsonDialect dialect, std::span<const std::string> path);

// The same for an array: with_element() appends `value`, without_element() removes the element of that index.
Result<std::string> with_element(std::string_view text, JsonDialect dialect, std::span<const std::string> path,
                                 std::string_view value);
Result<std::string> without_element(std::string_view text, JsonDialect dialect, std::span<const std::string> path,
                                    std::size_t index);

}  // namespace memd::setup
