#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace memd::json {

// Puts together a JSON object in one line: how items are shown to a decoder whose platform keeps them in columns or
// several files.
class ObjectWriter {
 public:
  ObjectWriter& text(std::string_view key, std::string_view value);  // left out when empty
  ObjectWriter& number(std::string_view key, std::int64_t value);    // left out when 0
  ObjectWriter& flag(std::string_view key, bool value);              // left out when false
  ObjectWriter& value(std::string_view key, std::string_view json);  // JSON as it is, but in one line
  std::string finish() &&;

 private:
  void begin(std::string_view key);
  std::string out_ = "{";
};

void append_quoted(std::string_view text, std::string& out);

}  // namespace memd::json
