#pragma once

#include "adapters/described/description.hpp"
#include "adapters/json/json_access.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memd::described {

// A part of a chat message, whatever the shape in which it is stored.
struct Part {
  enum class Kind : std::uint8_t { text, thinking, call, result, attachment, nothing, unknown };
  Kind kind = Kind::unknown;
  std::string text;  // of a result: its output; of an attachment: "[image: name]"
  std::string tool;
  std::string call_id;
  std::optional<json::dom::element> input;
  bool failed = false;
};

// Returns the parts of a content: a text, or blocks of the shape.
std::vector<Part> content_parts(Shape shape, json::dom::element content);
// Returns the thinking and the calls that a message of the shape has beside its content.
std::vector<Part> parts_beside(Shape shape, json::dom::element message);

}  // namespace memd::described
