#include "protocol/jsonrpc/mended_text.hpp"

#include "schemas/utf8.hpp"

#include <algorithm>
#include <charconv>

namespace memd::jsonrpc {
namespace {

constexpr std::size_t kEscape = 6;  // \uXXXX
constexpr std::string_view kReplacement = "\\ufffd";

// 0: `text` begins with no \uXXXX, or with that of NUL.
unsigned code_unit(std::string_view text) {
  unsigned out = 0;
  if (text.size() < kEscape || !text.starts_with("\\u")) return 0;
  const char* const end = text.data() + kEscape;
  return std::from_chars(text.data() + 2, end, out, 16).ptr == end ? out : 0;
}

// Of the escape sequence at the start of `text`: what of it is kept, and how long it is.
struct Escape {
  bool sound = true;
  std::size_t length = 2;
};
Escape escape_at(std::string_view text) {
  const unsigned unit = code_unit(text);
  if (unit < 0xD800 || unit > 0xDFFF) return {true, std::min<std::size_t>(text.size(), 2)};
  const unsigned low = unit < 0xDC00 ? code_unit(text.substr(kEscape)) : 0;
  const bool pair = low >= 0xDC00 && low <= 0xDFFF;
  return {pair, pair ? 2 * kEscape : kEscape};
}

}  // namespace

std::optional<std::string> mended_text(std::string_view json) {
  std::string out;
  bool mended = false;
  out.reserve(json.size());
  while (!json.empty()) {
    const auto run =
        std::min(static_cast<std::size_t>(
                     std::find_if(json.begin(), json.end(),
                                  [](char c) { return c == '\\' || static_cast<unsigned char>(c) >= 0x80; }) -
                     json.begin()),
                 json.size());
    out.append(json.substr(0, run));
    json.remove_prefix(run);
    if (json.empty()) break;
    Escape piece;
    if (json.front() == '\\') {
      piece = escape_at(json);
    } else {
      const std::size_t length = utf8_length(json);
      piece = {length > 0, std::max<std::size_t>(length, 1)};
    }
    out.append(piece.sound ? json.substr(0, piece.length) : kReplacement);
    mended |= !piece.sound;
    json.remove_prefix(piece.length);
  }
  return mended ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace memd::jsonrpc
