#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace memd::cli::browse {

// A decoded key press.
struct Key {
  enum class Kind {
    text,  // one typed character, in UTF-8
    enter,
    escape,
    backspace,
    erase_word,  // ^W
    erase_line,  // ^U
    up,
    down,
    left,
    right,
    page_up,
    page_down,
    home,
    end,
    quit,   // ^C
    click,  // of the left button
  } kind = Kind::text;
  std::string text{};
  std::size_t row = 0;  // of a click

  bool is(std::string_view character) const { return kind == Kind::text && text == character; }
};

// A line of text being typed. A value.
class Prompt {
 public:
  explicit Prompt(std::string text = {}) : text_(std::move(text)) {}
  const std::string& text() const { return text_; }
  // Returns whether the key edits the line, even if there is nothing to erase.
  bool takes(const Key& key);

 private:
  std::string text_;
};

}  // namespace memd::cli::browse
