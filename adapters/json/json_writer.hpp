#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// Writes the one-line JSON objects for items of sources changed in place (SnapshotReader::item). Invalid UTF-8 is kept:
// the decoder reports it.
namespace memd::json {

// Appends `text` as a JSON string with its quotes.
void append_quoted(std::string_view text, std::string& out);

// Appends JSON without the blanks between its tokens. Control bytes inside strings become spaces, so the result is one
// line.
void append_compact(std::string_view json, std::string& out);
std::string compacted(std::string_view json);

// Builds one JSON object, member by member. Owns the text. One thread at a time.
class ObjectWriter {
 public:
  ObjectWriter& text(std::string_view key, std::string_view value);
  ObjectWriter& number(std::string_view key, std::int64_t value);
  ObjectWriter& json(std::string_view key, std::string_view value);  // compacted; null when empty
  ObjectWriter& raw(std::string_view key, std::string_view value);   // JSON as is
  // Omitted when empty, 0 or false.
  ObjectWriter& some_text(std::string_view key, std::string_view value);
  ObjectWriter& some_number(std::string_view key, std::int64_t value);
  ObjectWriter& flag(std::string_view key, bool value);

  std::string finish() &&;

 private:
  void begin(std::string_view key);
  std::string out_ = "{";
};

// Returns the object with these members in front of its own.
std::string with_members(ObjectWriter&& members, const std::string& object);

}  // namespace memd::json
