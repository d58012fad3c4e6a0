#pragma once

#include "schemas/error.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Configuration files of other programs, as JSON that people write: comments, trailing commas, a byte order mark and an
// empty file are taken. A change is made in the text, so no byte changes that does not have to. Why this is no library:
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
  std::string string;                 // of a string, decoded
  std::vector<JsonElement> elements;  // of an object or array

  const JsonElement* find(std::string_view key) const;  // the last one of that name, as parsers take it
};

struct JsonElement {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::string key;            // decoded; empty in an array
  std::size_t begin = 0;      // of the key, in an array of the value
  std::size_t comma = kNone;  // behind the value
  JsonValue value;
};

// The root; nothing but blanks and comments: an object without elements, begin == end. Errc::bad_config says
// "line 3: …". At most 200 levels.
Result<JsonValue> parse_jsonc(std::string_view text, JsonDialect dialect);

// Returns the value at a path of keys; null: there is none.
const JsonValue* find_value(const JsonValue& root, std::span<const std::string> path);

// The value without blanks and comments, strings written one way: equal values give equal texts if their members stand
// in the same order.
std::string compact_json(std::string_view text, const JsonValue& value);

// The text with `value` (compact JSON) at the path; what is missing on the way is made. Objects go over several lines
// if the text does. Errc::bad_config: something on the way is no object. A value that is there already is not touched.
Result<std::string> with_member(std::string_view text, JsonDialect dialect, std::span<const std::string> path,
                                std::string_view value);

// The text without the member at the path. An object on the way that has become empty goes, too, but not the root.
Result<std::string> without_member(std::string_view text, JsonDialect dialect, std::span<const std::string> path);

// The same for an array: with `value` behind its last element, and without the element of that number.
Result<std::string> with_element(std::string_view text, JsonDialect dialect, std::span<const std::string> path,
                                 std::string_view value);
Result<std::string> without_element(std::string_view text, JsonDialect dialect, std::span<const std::string> path,
                                    std::size_t index);

}  // namespace memd::setup
