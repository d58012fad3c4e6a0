#include "adapters/json/json_text.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/utf8.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

namespace memd::json {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Returns the value of "\uXXXX" at `at`, or -1.
std::int32_t escaped_unit(std::string_view body, std::size_t at) {
  if (at + 6 > body.size() || body[at] != '\\' || body[at + 1] != 'u') return -1;
  std::uint16_t unit = 0;
  const char* first = body.data() + at + 2;
  const auto [end, error] = std::from_chars(first, first + 4, unit, 16);
  return error == std::errc{} && end == first + 4 ? unit : -1;
}

bool is_high(std::int32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool is_low(std::int32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

constexpr std::string_view kBlanks = " \t\n\r\v\f";

// Returns the length of the Unicode space at the start (or end) of the text, 0 if there is none.
std::size_t space_length(std::string_view text, bool at_end) {
  static constexpr std::array<std::string_view, 7> spaces{
      "\xC2\xA0", "\xE2\x80\x83", "\xE2\x80\x89", "\xE2\x80\xA8", "\xE2\x80\xAF", "\xE3\x80\x80", "\xC2\x85"};
  for (const auto s : spaces)
    if (at_end ? text.ends_with(s) : text.starts_with(s)) return s.size();
  return 0;
}

}  // namespace

bool append_unescaped(std::string_view body, std::string& out, std::size_t limit) {
  const std::size_t start = out.size();
  // No escape sequence is shorter than its value. A character may exceed the limit.
  const std::size_t most = std::min(body.size(), limit);
  out.resize(start + most + (most < body.size() ? 4 : 0));
  char* const first = out.data() + start;
  char* const stop = first + most;
  char* to = first;
  bool replaced = false;
  std::size_t at = 0;
  while (at < body.size() && to < stop) {
    const void* found = std::memchr(body.data() + at, '\\', body.size() - at);
    const std::size_t plain =
        found ? static_cast<std::size_t>(static_cast<const char*>(found) - body.data()) - at : body.size() - at;
    const std::size_t copied = std::min(plain, static_cast<std::size_t>(stop - to));
    std::memcpy(to, body.data() + at, copied);
    to += copied;
    at += plain;
    if (at + 1 >= body.size() || to == stop) break;
    const auto unit = body[at + 1] == 'u' ? escaped_unit(body, at) : -1;
    if (unit < 0) {
      *to++ = ascii::unescaped(body[at + 1]);
      at += 2;
      continue;
    }
    at += 6;
    const auto next = is_high(unit) ? escaped_unit(body, at) : -1;
    if (is_low(next)) {
      to = put_utf8(
          0x10000U + (static_cast<std::uint32_t>(unit - 0xD800) << 10) + static_cast<std::uint32_t>(next - 0xDC00), to);
      at += 6;
    } else if (is_high(unit) || is_low(unit)) {
      to = std::copy(kReplacement.begin(), kReplacement.end(), to);
      replaced = true;
    } else {
      to = put_utf8(static_cast<std::uint32_t>(unit), to);
    }
  }
  out.resize(static_cast<std::size_t>(to - out.data()));
  if (out.size() - start >= limit) out.resize(start + utf8_prefix(std::string_view(out).substr(start), limit).size());
  return replaced;
}

std::string unescaped(std::string_view token) {
  std::string out;
  append_unescaped(string_body(token), out);
  return out;
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool pair = text[i] == '%' && i + 2 < text.size();
    const int high = pair ? ascii::hex_value(text[i + 1]) : -1;
    const int low = pair ? ascii::hex_value(text[i + 2]) : -1;
    if (high >= 0 && low >= 0) {
      out.push_back(static_cast<char>(high << 4 | low));
      i += 2;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

std::int64_t integer(std::string_view token) {
  std::int64_t value = 0;
  std::from_chars(token.data(), token.data() + token.size(), value);
  return value;
}

std::optional<double> fraction(std::string_view token) {
  double value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  return error == std::errc() && end != token.data() ? std::optional(value) : std::nullopt;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty()) {
    const std::size_t n = kBlanks.find(text.front()) != std::string_view::npos ? 1 : space_length(text, false);
    if (n == 0) break;
    text.remove_prefix(n);
  }
  while (!text.empty()) {
    const std::size_t n = kBlanks.find(text.back()) != std::string_view::npos ? 1 : space_length(text, true);
    if (n == 0) break;
    text.remove_suffix(n);
  }
  return text;
}

std::string one_line(std::string_view text, std::size_t limit) {
  text = trimmed(text);
  text = text.substr(0, text.find('\n'));
  std::string line;
  for (const char c : text.substr(0, 4 * limit)) {
    const bool blank = c == ' ' || static_cast<unsigned char>(c) < 0x20;
    if (!blank)
      line.push_back(c);
    else if (!line.empty() && line.back() != ' ')
      line.push_back(' ');
  }
  if (line.size() > limit) line = std::string(utf8_prefix(line, limit)) + "…";
  return line;
}

bool is_identifier(std::string_view text) {
  constexpr auto ok = [](char c) { return ascii::is_word(c) || c == '/' || c == '-' || c == '.' || c == ':'; };
  return !text.empty() && text.size() <= 40 && std::all_of(text.begin(), text.end(), ok);
}

std::string cleaned_json(std::string_view json, bool& replaced) {
  std::string out;
  out.reserve(json.size() + 64);
  replaced = false;
  for (std::size_t at = 0; at < json.size();) {
    const char c = json[at];
    if (c == '\\') {
      const auto unit = escaped_unit(json, at);
      if (is_high(unit) && is_low(escaped_unit(json, at + 6))) {
        out.append(json.substr(at, 12));
        at += 12;
      } else if (is_high(unit) || is_low(unit)) {
        out.append("\\ufffd");
        replaced = true;
        at += 6;
      } else {
        const std::size_t n = std::min<std::size_t>(2, json.size() - at);
        out.append(json.substr(at, n));
        at += n;
      }
      continue;
    }
    const std::size_t n = static_cast<unsigned char>(c) < 0x80 ? 1 : utf8_length(json.substr(at));
    if (n == 0) {
      out.append(kReplacement);
      replaced = true;
      ++at;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out.push_back(' ');
      replaced |= kBlanks.find(c) == std::string_view::npos;
      ++at;
    } else {
      out.append(json.substr(at, n));
      at += n;
    }
  }
  return out;
}

}  // namespace memd::json
