#pragma once

#include "adapters/json/json_access.hpp"
#include "adapters/json/record_builder.hpp"

#include <string>
#include <string_view>

namespace memd::json {

// What a message says, and what it contains besides: "[image] [resource_link: notes.txt]".
struct Content {
  std::string text;
  std::string marker;
  bool is_blank() const { return trimmed(text).empty() && marker.empty(); }
};

// Reads a list of blocks in the member `key`: the texts of those that have one ("text", "thinking"), joined by
// newlines; the type, and the name or address, of the others. Anything else is empty.
Content read_content(TextReader& reader, od::object& holder, std::string_view key = "content");

// Adds what a person said; with a slash in front it is a command.
void add_prompt(RecordBuilder& record, Content content);

}  // namespace memd::json
