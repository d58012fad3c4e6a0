#include "daemon/cli/browse/prompt.hpp"

namespace memd::cli::browse {
namespace {

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

}  // namespace

bool Prompt::takes(const Key& key) {
  constexpr std::size_t kMost = 500;  // bytes
  switch (key.kind) {
    case Key::Kind::text:
      if (text_.size() + key.text.size() <= kMost) text_ += key.text;
      return true;
    case Key::Kind::backspace:
      while (!text_.empty() && continues_character(text_.back()))
        text_.pop_back();
      if (!text_.empty()) text_.pop_back();
      return true;
    case Key::Kind::erase_word:
      while (text_.ends_with(' '))
        text_.pop_back();
      while (!text_.empty() && !text_.ends_with(' '))
        text_.pop_back();
      return true;
    case Key::Kind::erase_line: text_.clear(); return true;
    default: return false;
  }
}

}  // namespace memd::cli::browse
