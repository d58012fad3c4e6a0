#include "daemon/setup/jsonc_text.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/json_writer.hpp"
#include "schemas/base/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <utility>

namespace memd::setup {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr int kDeepest = 200;

bool is_json_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

class JsoncParser {
 public:
  JsoncParser(std::string_view text, JsonDialect dialect) : text_(text), dialect_(dialect) {
    if (text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
  }

  Result<JsonValue> parse() {
    MEMD_TRY(skip());
    if (at_ == text_.size()) {
      JsonValue empty;
      empty.kind = JsonValue::Kind::object;
      empty.begin = empty.end = at_;
      return empty;
    }
    JsonValue root;
    MEMD_TRY(parse_value(root, 0));
    MEMD_TRY(skip());
    if (at_ != text_.size()) return wrong("something follows the end of the value");
    return root;
  }

 private:
  Error wrong(std::string_view what) const {
    const auto line = std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n') + 1;
    return Error(Errc::bad_config, fmt::format("line {}: {}", line, what));
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  Result<void> skip() {
    while (at_ < text_.size()) {
      if (is_json_blank(text_[at_])) {
        ++at_;
      } else if (text_.substr(at_, 2) == "//" || text_.substr(at_, 2) == "/*") {
        if (dialect_ == JsonDialect::strict) return wrong("this file may not have comments");
        const bool line = text_[at_ + 1] == '/';
        const auto end = line ? text_.find('\n', at_) : text_.find("*/", at_ + 2);
        if (!line && end == std::string_view::npos) return wrong("the comment has no end");
        at_ = end == std::string_view::npos ? text_.size() : end + (line ? 0 : 2);
      } else {
        break;
      }
    }
    return {};
  }

  Result<void> parse_value(JsonValue& out, int depth) {
    if (depth > kDeepest) return wrong("too many levels");
    out.begin = at_;
    switch (peek()) {
      case '{':
      case '[': MEMD_TRY(parse_container(out, depth)); break;
      case '"':
        out.kind = JsonValue::Kind::string;
        MEMD_TRY(parse_string(out.string));
        break;
      default: MEMD_TRY(parse_word());
    }
    out.end = at_;
    return {};
  }

  Result<void> parse_container(JsonValue& out, int depth) {
    const bool object = peek() == '{';
    out.kind = object ? JsonValue::Kind::object : JsonValue::Kind::array;
    const char close = object ? '}' : ']';
    ++at_;
    while (true) {
      MEMD_TRY(skip());
      if (peek() == close) {
        if (dialect_ != JsonDialect::with_comments && !out.elements.empty())
          return wrong("there is a comma before the end");
        break;
      }
      JsonElement element;
      element.begin = at_;
      if (object) {
        if (peek() != '"') return wrong(at_ == text_.size() ? "the object has no end" : "a name in quotes is expected");
        MEMD_TRY(parse_string(element.key));
        MEMD_TRY(skip());
        if (peek() != ':') return wrong("a colon is expected");
        ++at_;
        MEMD_TRY(skip());
      }
      MEMD_TRY(parse_value(element.value, depth + 1));
      MEMD_TRY(skip());
      const char next = peek();
      if (next == ',') element.comma = at_++;
      out.elements.push_back(std::move(element));
      if (next == close) break;
      if (next != ',') return wrong("a comma or the end is expected");
    }
    ++at_;
    return {};
  }

  std::optional<std::uint32_t> hex4() {
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = peek();
      value <<= 4;
      if (c >= '0' && c <= '9')
        value |= static_cast<std::uint32_t>(c - '0');
      else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
        value |= static_cast<std::uint32_t>((c | 0x20) - 'a' + 10);
      else
        return std::nullopt;
    }
    return value;
  }

  Result<void> parse_string(std::string& out) {
    ++at_;
    while (true) {
      const char c = peek();
      if (at_ == text_.size() || c == '\n') return wrong("the string has no end");
      ++at_;
      if (c == '"') return {};
      if (c != '\\') {
        out += c;
        continue;
      }
      const char escaped = peek();
      ++at_;
      switch (escaped) {
        case '"':
        case '\\':
        case '/':
        case 'b':
        case 'f':
        case 'n':
        case 'r':
        case 't': out += ascii::unescaped(escaped); break;
        case 'u': {
          auto code = hex4();
          if (!code) return wrong("\\u needs four hexadecimal digits");
          if (*code >= 0xD800 && *code < 0xDC00 && text_.substr(at_, 2) == "\\u") {
            at_ += 2;
            const auto low = hex4();
            if (!low || *low < 0xDC00 || *low > 0xDFFF) return wrong("half of a character");
            code = 0x10000 + ((*code - 0xD800) << 10) + (*low - 0xDC00);
          }
          out += as_utf8(*code);
          break;
        }
        default: return wrong("no such escape");
      }
    }
  }

  // Parses a number, true, false or null.
  Result<void> parse_word() {
    const auto begin = at_;
    while (at_ < text_.size() && std::string_view(",]}:/\"{[").find(text_[at_]) == std::string_view::npos &&
           !is_json_blank(text_[at_]))
      ++at_;
    const std::string word(text_.substr(begin, at_ - begin));
    if (word == "true" || word == "false" || word == "null") return {};
    const bool number = !word.empty() && (word[0] == '-' || (word[0] >= '0' && word[0] <= '9')) &&
                        word.find_first_not_of("0123456789+-.eE") == std::string::npos;
    char* end = nullptr;
    if (number) std::strtod(word.c_str(), &end);
    if (number && end == word.c_str() + word.size()) return {};
    at_ = begin;
    return wrong(at_ == text_.size() ? "the file ends too early" : "a value is expected");
  }

  std::string_view text_;
  JsonDialect dialect_;
  std::size_t at_ = 0;
};

void append_compact(std::string& out, std::string_view text, const JsonValue& value) {
  switch (value.kind) {
    case JsonValue::Kind::string: json::append_string(out, value.string); return;
    case JsonValue::Kind::other: out += text.substr(value.begin, value.end - value.begin); return;
    case JsonValue::Kind::object:
    case JsonValue::Kind::array: break;
  }
  const bool object = value.kind == JsonValue::Kind::object;
  out += object ? '{' : '[';
  bool first = true;
  for (const JsonElement& element : value.elements) {
    if (!std::exchange(first, false)) out += ',';
    if (object) {
      json::append_string(out, element.key);
      out += ':';
    }
    append_compact(out, text, element.value);
  }
  out += object ? '}' : ']';
}

// The layout style of a text.
struct Layout {
  std::string newline = "\n";
  std::string step = "  ";  // one level of indentation
  bool one_line = false;

  static Layout of(std::string_view text, const JsonValue& root) {
    Layout out;
    const auto first = text.find('\n');
    if (first != std::string_view::npos && first > 0 && text[first - 1] == '\r') out.newline = "\r\n";
    const std::string_view inside = text.substr(root.begin, root.end - root.begin);
    out.one_line = !root.elements.empty() && inside.find('\n') == std::string_view::npos;
    if (!root.elements.empty()) {
      const std::string_view indent = blanks_before(text, root.elements.front().begin);
      if (const auto line = indent.rfind('\n'); line != std::string_view::npos && line + 1 < indent.size())
        out.step = indent.substr(line + 1);
    }
    return out;
  }

  static std::string_view blanks_before(std::string_view text, std::size_t at) {
    auto begin = at;
    while (begin > 0 && is_json_blank(text[begin - 1]))
      --begin;
    return text.substr(begin, at - begin);
  }

  // Returns the indentation of the line that contains `at`.
  static std::string indent_at(std::string_view text, std::size_t at) {
    auto begin = text.rfind('\n', at == 0 ? 0 : at - 1);
    begin = begin == std::string_view::npos || at == 0 ? 0 : begin + 1;
    if (text.substr(begin).starts_with(kByteOrderMark)) begin += kByteOrderMark.size();
    auto end = begin;
    while (end < text.size() && (text[end] == ' ' || text[end] == '\t'))
      ++end;
    return std::string(text.substr(begin, end - begin));
  }

  // Appends compact JSON, laid out for this indentation. Arrays of plain values stay on one line.
  void append(std::string& out, std::string_view text, const JsonValue& value, const std::string& indent) const {
    const bool object = value.kind == JsonValue::Kind::object;
    if ((!object && value.kind != JsonValue::Kind::array) || value.elements.empty())
      return append_compact(out, text, value);
    const bool over_lines =
        !one_line && (object || std::any_of(value.elements.begin(), value.elements.end(),
                                            [](const JsonElement& e) { return !e.value.elements.empty(); }));
    const std::string inner = over_lines ? indent + step : indent;
    out += object ? '{' : '[';
    for (std::size_t i = 0; i < value.elements.size(); ++i) {
      const JsonElement& element = value.elements[i];
      if (i > 0) out += over_lines ? "," : ", ";
      if (over_lines) out += newline + inner;
      if (object) {
        json::append_string(out, element.key);
        out += ": ";
      }
      append(out, text, element.value, inner);
    }
    if (over_lines) out += newline + indent;
    out += object ? '}' : ']';
  }
};

// Returns the end of the blanks and comments after `at`, if a line break or `//` ends the line there; else `at`.
std::size_t end_of_line_tail(std::string_view text, std::size_t at) {
  const auto begin = at;
  while (at < text.size()) {
    if (text[at] == ' ' || text[at] == '\t') {
      ++at;
    } else if (text.substr(at, 2) == "//") {
      at = std::min(text.find('\n', at), text.size());
      if (at > 0 && at < text.size() && text[at - 1] == '\r') --at;
      return at;
    } else if (text.substr(at, 2) == "/*") {
      const auto end = text.find("*/", at + 2);
      if (end == std::string_view::npos || text.substr(at, end - at).find('\n') != std::string_view::npos) break;
      at = end + 2;
    } else if (text[at] == '\n' || text.substr(at, 2) == "\r\n") {
      return at;
    } else {
      break;
    }
  }
  return begin;  // something else follows on the line: the tail is its own
}

// Returns the text with one more element in `container`. `element` writes it for a given indentation.
template <class WriteElement>
std::string inserted(std::string_view text, const Layout& layout, const JsonValue& container,
                     const WriteElement& element) {
  std::string out(text);
  if (container.elements.empty()) {
    const std::string outer = Layout::indent_at(text, container.begin);
    const auto close = container.end - 1;
    const std::string_view inside = text.substr(container.begin + 1, close - container.begin - 1);
    if (layout.one_line) return out.insert(close, element(outer));
    const std::string line = layout.newline + outer + layout.step + element(outer + layout.step);
    const bool has_line = inside.find('\n') != std::string_view::npos;
    if (has_line) {  // the last line is that of the closing bracket
      const auto blanks = Layout::blanks_before(text, close);
      const auto last_line = blanks.find('\n');
      auto at = last_line == std::string_view::npos ? close : close - blanks.size() + last_line;
      if (at > 0 && at < close && text[at - 1] == '\r') --at;
      return out.insert(at, line + (at == close ? layout.newline + outer : ""));
    }
    return out.insert(close, line + layout.newline + outer);
  }
  const JsonElement& last = container.elements.back();
  const std::string_view before = Layout::blanks_before(text, last.begin);
  const auto line = before.rfind('\n');
  const bool over_lines = line != std::string_view::npos;
  const std::string indent = over_lines ? std::string(before.substr(line + 1)) : "";
  if (!over_lines) {
    const bool tight = container.elements.size() > 1 && before.empty();
    const std::string written = element(Layout::indent_at(text, last.begin));
    if (last.comma == JsonElement::kNone) return out.insert(last.value.end, (tight ? "," : ", ") + written);
    return out.insert(last.comma + 1, " " + written + ",");
  }
  const std::string written = layout.newline + indent + element(indent);
  if (last.comma != JsonElement::kNone) return out.insert(end_of_line_tail(text, last.comma + 1), written + ",");
  out.insert(end_of_line_tail(text, last.value.end), written);
  return out.insert(last.value.end, ",");
}

std::string erased(std::string_view text, const JsonValue& container, std::size_t index) {
  const JsonElement& gone = container.elements[index];
  const std::string_view blanks = Layout::blanks_before(text, gone.begin);
  auto begin = gone.begin - blanks.size();
  const auto end = gone.comma != JsonElement::kNone ? gone.comma + 1 : gone.value.end;
  std::string out(text);
  const bool only = container.elements.size() == 1;
  if (only && begin == container.begin + 1) {
    const std::string_view rest = text.substr(end, container.end - 1 - end);
    if (rest.find_first_not_of(" \t\r\n") == std::string_view::npos)
      return out.erase(begin, container.end - 1 - begin);  // {}
  }
  const bool over_lines = blanks.find('\n') != std::string_view::npos;
  if (!over_lines && index == 0) {  // "{ removed, next": the blank before the removed element now precedes the next one
    const std::size_t next = only ? gone.value.end : container.elements[1].begin;
    return out.erase(gone.begin, (only ? end : next) - gone.begin);
  }
  // Keep the line break that ends a // comment.
  const auto line_begin = begin == 0 ? 0 : text.rfind('\n', begin - 1) + 1;
  const bool after_comment = text.substr(line_begin, begin - line_begin).find("//") != std::string_view::npos;
  if (after_comment && over_lines && end < text.size() && text[end] != '\n' && text[end] != '\r')
    begin += blanks.find('\n') + 1;
  out.erase(begin, end - begin);
  if (index > 0 && index + 1 == container.elements.size() && gone.comma == JsonElement::kNone)
    out.erase(container.elements[index - 1].comma, 1);
  return out;
}

Error no_container(std::span<const std::string> path, std::size_t depth, std::string_view what, std::string_view text,
                   const JsonValue& value) {
  const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(value.begin), '\n') + 1;
  std::string name;
  for (std::size_t i = 0; i < depth; ++i)
    name += (i > 0 ? "." : "") + path[i];
  return Error(Errc::bad_config, fmt::format("line {}: {} is no {}", line, name.empty() ? "the file" : name, what));
}

// Returns compact JSON with `value` nested in the missing objects.
std::string nested(std::span<const std::string> missing, std::string_view value) {
  std::string out;
  for (const std::string& key : missing) {
    out += '{';
    json::append_string(out, key);
    out += ':';
  }
  out += value;
  out.append(missing.size(), '}');
  return out;
}

}  // namespace

const JsonElement* JsonValue::find(std::string_view key) const {
  if (kind != Kind::object) return nullptr;
  const auto it = std::find_if(elements.rbegin(), elements.rend(), [&](const JsonElement& e) { return e.key == key; });
  return it == elements.rend() ? nullptr : &*it;
}

Result<JsonValue> parse_jsonc(std::string_view text, JsonDialect dialect) { return JsoncParser(text, dialect).parse(); }

const JsonValue* find_value(const JsonValue& root, std::span<const std::string> path) {
  const JsonValue* at = &root;
  for (const std::string& key : path) {
    const JsonElement* element = at->find(key);
    if (element == nullptr) return nullptr;
    at = &element->value;
  }
  return at;
}

std::string compact_json(std::string_view text, const JsonValue& value) {
  std::string out;
  append_compact(out, text, value);
  return out;
}

Result<std::string> with_member(std::string_view text, JsonDialect dialect, std::span<const std::string> path,
                                std::string_view value) {
  MEMD_TRY_ASSIGN(const JsonValue root, parse_jsonc(text, dialect));
  MEMD_TRY_ASSIGN(const JsonValue wanted, parse_jsonc(value, JsonDialect::strict));
  if (root.kind != JsonValue::Kind::object) return no_container(path, 0, "object", text, root);
  const Layout layout = Layout::of(text, root);
  if (root.begin == root.end) {  // an empty file
    const std::string whole = nested(path, value);
    MEMD_TRY_ASSIGN(const JsonValue all, parse_jsonc(whole, JsonDialect::strict));
    std::string out(text);
    if (!out.empty() && out.find_first_not_of(" \t\r\n", out.starts_with(kByteOrderMark) ? 3 : 0) != out.npos &&
        !out.ends_with('\n'))
      out += layout.newline;  // after a comment
    layout.append(out, whole, all, "");
    return out + layout.newline;
  }
  const JsonValue* at = &root;
  std::size_t depth = 0;
  for (; depth < path.size(); ++depth) {
    const JsonElement* next = at->find(path[depth]);
    if (next == nullptr) break;
    if (depth + 1 < path.size() && next->value.kind != JsonValue::Kind::object)
      return no_container(path, depth + 1, "object", text, next->value);
    at = &next->value;
  }
  if (depth == path.size()) {
    if (compact_json(text, *at) == compact_json(value, wanted)) return std::string(text);
    std::string written;
    layout.append(written, value, wanted, Layout::indent_at(text, at->begin));
    return std::string(text).replace(at->begin, at->end - at->begin, written);
  }
  const std::string inner = nested(path.subspan(depth + 1), value);
  MEMD_TRY_ASSIGN(const JsonValue inner_value, parse_jsonc(inner, JsonDialect::strict));
  return inserted(text, layout, *at, [&](const std::string& indent) {
    std::string written;
    json::append_string(written, path[depth]);
    written += ": ";
    layout.append(written, inner, inner_value, indent);
    return written;
  });
}

Result<std::string> without_member(std::string_view text, JsonDialect dialect, std::span<const std::string> path) {
  std::string out(text);
  for (std::size_t length = path.size(); length > 0; --length) {
    MEMD_TRY_ASSIGN(const JsonValue root, parse_jsonc(out, dialect));
    const JsonValue* parent = find_value(root, path.first(length - 1));
    if (parent == nullptr || parent->find(path[length - 1]) == nullptr) return out;
    const JsonElement* gone = parent->find(path[length - 1]);
    if (length < path.size()) {
      const std::string_view inside =
          std::string_view(out).substr(gone->value.begin, gone->value.end - gone->value.begin);
      if (inside.find_first_not_of("{} \t\r\n") != std::string_view::npos)
        return out;  // keep an object that contains
                     // a comment
    }
    out = erased(out, *parent, static_cast<std::size_t>(gone - parent->elements.data()));
  }
  return out;
}

Result<std::string> with_element(std::string_view text, JsonDialect dialect, std::span<const std::string> path,
                                 std::string_view value) {
  MEMD_TRY_ASSIGN(const JsonValue root, parse_jsonc(text, dialect));
  const JsonValue* at = find_value(root, path);
  if (at == nullptr) return with_member(text, dialect, path, "[" + std::string(value) + "]");
  if (at->kind != JsonValue::Kind::array) return no_container(path, path.size(), "array", text, *at);
  MEMD_TRY_ASSIGN(const JsonValue wanted, parse_jsonc(value, JsonDialect::strict));
  const Layout layout = Layout::of(text, root);
  return inserted(text, layout, *at, [&](const std::string& indent) {
    std::string written;
    layout.append(written, value, wanted, indent);
    return written;
  });
}

Result<std::string> without_element(std::string_view text, JsonDialect dialect, std::span<const std::string> path,
                                    std::size_t index) {
  MEMD_TRY_ASSIGN(const JsonValue root, parse_jsonc(text, dialect));
  const JsonValue* at = find_value(root, path);
  if (at == nullptr || at->kind != JsonValue::Kind::array || index >= at->elements.size()) return std::string(text);
  if (at->elements.size() > 1) return erased(text, *at, index);
  // Remove the array with its last element, and the objects that become empty.
  return without_member(text, dialect, path);
}

}  // namespace memd::setup
