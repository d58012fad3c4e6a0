#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

enum class UnitKind : std::uint8_t { sentence, bullet, heading, table, code };

// A part of a message that is kept or dropped as a whole.
struct TextUnit {
  std::string_view text;  // inside the message; still contains a sentence's line breaks
  UnitKind kind = UnitKind::sentence;
};

// Splits Markdown-like text into sentences, list items, headings, tables and whole code blocks, in order. Every
// non-blank character is in exactly one unit.
std::vector<TextUnit> split_units(std::string_view text);

// Tracks Markdown code fences line by line. A value; one thread.
class FenceTracker {
 public:
  // Reads `line` without its newline. Afterwards is_open() applies to the next line.
  void line(std::string_view line);
  bool is_open() const { return length_ > 0; }
  // Returns the line that closes the open fence.
  std::string closing() const { return std::string(length_, mark_); }

 private:
  char mark_ = '`';
  std::size_t length_ = 0;  // of the opening fence; 0: none is open
};

// Returns the state after the text's last line.
FenceTracker fences_of(std::string_view text);

// Returns whether sentence_end_at() has to be called for this byte.
inline bool may_end_sentence(char c) {
  static constexpr auto kMarks = [] {
    std::array<bool, 256> out{};
    for (const unsigned mark : {0x2EU, 0x21U, 0x3FU, 0xE3U, 0xEFU})  // . ! ? and the first bytes of 。！？
      out[mark] = true;
    return out;
  }();
  return kMarks[static_cast<unsigned char>(c)];
}

// Returns the end (exclusive) of the sentence mark at `i` if it ends a sentence, else 0. Dots in paths, versions,
// numbers and abbreviations such as "e.g." do not; 。！？ do without a following blank.
std::size_t sentence_end_at(std::string_view text, std::size_t i);

// A fenced code block of an answer.
struct CodeSnippet {
  std::string language;  // as written after the fence; may be empty
  std::string code;      // without the fences, with its last newline
  bool closed = true;    // false: the text ended inside the block
};

// Returns the fenced code blocks of a text (``` or ~~~, any length ≥ 3), in order. Thread-safe.
std::vector<CodeSnippet> code_snippets(std::string_view markdown);

}  // namespace memd
