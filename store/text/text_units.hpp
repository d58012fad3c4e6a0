#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace memd {

enum class UnitKind : std::uint8_t { sentence, bullet, heading, table, code };

// A piece of a message that is kept or dropped as a whole.
struct TextUnit {
  std::string_view text;  // inside the message; line breaks of a sentence are still in it
  UnitKind kind = UnitKind::sentence;
};

// Cuts Markdown-ish text into sentences, list items, headings, tables and whole code blocks, in order. Whatever is not
// blank is in exactly one unit.
std::vector<TextUnit> split_units(std::string_view text);

}  // namespace memd
