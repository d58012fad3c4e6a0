#include "daemon/cli/browse/prompt.hpp"
#include "schemas/base/utf8.hpp"

namespace memd::cli::browse {

bool Prompt::takes(const Key& key) {
  constexpr std::size_t kMost = 500;  // bytes
  switch (key.kind) {
    case Key::Kind::text:
      if (text_.size() + key.text.size() <= kMost) text_ += key.text;
      return true;
    case Key::Kind::backspace:
      while (!text_.empty() && is_utf8_tail(text_.back()))
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
