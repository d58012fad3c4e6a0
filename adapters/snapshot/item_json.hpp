#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

// Writing the one-line JSON objects that items of rewritten documents are handed on as (SnapshotReader::item).
namespace memd::snapshot {

// Appends JSON text without the blanks between its tokens. Control bytes inside strings become spaces, so that the
// outcome is one line.
void append_compact(std::string_view json, std::string& out);

// Appends `text` as a JSON string, quotes included.
void append_quoted(std::string_view text, std::string& out);

// Builds one JSON object, member by member.
class ObjectWriter {
 public:
  ObjectWriter& text(std::string_view key, std::string_view value);
  ObjectWriter& number(std::string_view key, std::int64_t value);
  ObjectWriter& flag(std::string_view key, bool value);  // left out when false
  ObjectWriter& json(std::string_view key, std::string_view value);
  std::string finish() && {
    out_.push_back('}');
    return std::move(out_);
  }

 private:
  void key(std::string_view name);
  std::string out_ = "{";
};

}  // namespace memd::snapshot
