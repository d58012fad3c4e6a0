#include "schemas/base/json_writer.hpp"

#include "schemas/base/harmless.hpp"
#include "schemas/base/utf8.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace memd::json {
namespace {

bool is_plain(char c) {
  const auto u = static_cast<unsigned char>(c);
  return u >= 0x20 && u < 0x7F && c != '"' && c != '\\';
}

template <class Number>
void append_chars(std::string& out, Number value) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  out.append(buffer.data(), end);
}

}  // namespace

void append_escaped(std::string& out, char c) {
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: append_code_escape(out, static_cast<unsigned char>(c));
  }
}

void append_string(std::string& out, std::string_view text) {
  out += '"';
  std::size_t i = 0;
  while (i < text.size()) {
    std::size_t run = i;
    while (run < text.size() && is_plain(text[run]))
      ++run;
    out.append(text, i, run - i);
    i = run;
    if (i == text.size()) break;
    if (static_cast<unsigned char>(text[i]) < 0x80) {
      append_escaped(out, text[i++]);
    } else if (const std::size_t n = utf8_length(text.substr(i)); n > 0) {
      if (const unsigned hidden = hidden_code(text.substr(i, n)); hidden != 0)
        append_code_escape(out, hidden);
      else
        out.append(text, i, n);
      i += n;
    } else {
      out += "\xEF\xBF\xBD";
      ++i;
    }
  }
  out += '"';
}

void append_number(std::string& out, double value) { append_chars(out, std::isfinite(value) ? value : 0.0); }
void append_number(std::string& out, std::int64_t value) { append_chars(out, value); }
void append_number(std::string& out, std::uint64_t value) { append_chars(out, value); }

void Writer::key(std::string_view name) {
  comma();
  append_string(out_, name);
  out_ += ':';
  pending_comma_ = false;
}

}  // namespace memd::json
