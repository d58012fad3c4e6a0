#pragma once

#include "adapters/json/json_access.hpp"
#include "adapters/json/record_builder.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace memd::json {

// What a message says, and what it contains besides.
struct ContentText {
  std::string text;      // of all texts, joined by newlines
  std::string thoughts;  // of the blocks of thinking, joined in the same way
  std::string marks;     // media_mark() of the other blocks, joined by blanks
  bool is_blank() const { return trimmed(text).empty() && marks.empty(); }
};
// Reads the content under `key`: a string, or blocks with a type.
ContentText read_content(TextReader& reader, od::object& holder, std::string_view key = "content");

inline void add_prompt(RecordBuilder& record, ContentText content, Origin origin) {
  record.add_prompt(origin, std::move(content.text), std::move(content.marks));
}

}  // namespace memd::json
