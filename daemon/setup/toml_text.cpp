#include "daemon/setup/toml_text.hpp"
#include "schemas/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace memd::setup {
namespace {

constexpr std::string_view kTomlByteOrderMark = "\xEF\xBB\xBF";
constexpr int kDeepestToml = 100;

using KeyPath = std::vector<std::string>;

struct TomlPair;

struct TomlValue {
  enum class Kind { string, array, inline_table, other };
  Kind kind = Kind::other;
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string string;
  std::vector<TomlPair> elements;  // of arrays, without keys
};

struct TomlPair {
  KeyPath key;
  std::size_t begin = 0;
  std::size_t comma = std::string_view::npos;
  TomlValue value;
};

// A header, or a key with its value, which may span several lines.
struct Statement {
  bool header = false;
  bool array_header = false;
  KeyPath path;           // from the root
  std::size_t begin = 0;  // of its first line
  std::size_t end = 0;    // after its newline
  TomlValue value;
};

bool is_bare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

class TomlParser {
 public:
  explicit TomlParser(std::string_view text) : text_(text) {
    if (text_.starts_with(kTomlByteOrderMark)) at_ = kTomlByteOrderMark.size();
  }

  Result<std::vector<Statement>> parse() {
    std::vector<Statement> out;
    KeyPath table;
    while (at_ < text_.size()) {
      Statement s;
      s.begin = at_;
      skip_blanks();
      if (end_of_line()) {
        next_line();
        continue;
      }
      if (peek() == '[') {
        s.header = true;
        ++at_;
        s.array_header = take('[');
        skip_blanks();
        MEMD_TRY(parse_key(s.path));
        if (!take(']') || (s.array_header && !take(']'))) return wrong("the header has no end");
        table = s.path;
        if (!s.array_header && std::any_of(out.begin(), out.end(), [&](const Statement& other) {
              return other.header && !other.array_header && other.path == s.path && !inside_array(out, s.path);
            }))
          return wrong("this table is defined twice");
      } else {
        s.path = table;
        MEMD_TRY(parse_key(s.path));
        if (!take('=')) return wrong("an equals sign is expected");
        skip_blanks();
        MEMD_TRY(parse_value(s.value, 0));
      }
      skip_blanks();
      if (!end_of_line()) return wrong("something follows the end of the value");
      next_line();
      s.end = at_;
      out.push_back(std::move(s));
    }
    return out;
  }

 private:
  Error wrong(std::string_view what) const {
    const auto line =
        std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(std::min(at_, text_.size())), '\n') + 1;
    return Error(Errc::bad_config, fmt::format("line {}: {}", line, what));
  }
  // A header may be repeated below an array of tables.
  static bool inside_array(const std::vector<Statement>& all, const KeyPath& path) {
    return std::any_of(all.begin(), all.end(), [&](const Statement& s) {
      return s.array_header && s.path.size() < path.size() && std::equal(s.path.begin(), s.path.end(), path.begin());
    });
  }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool take(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void skip_blanks() {
    while (peek() == ' ' || peek() == '\t')
      ++at_;
  }
  bool end_of_line() const {
    return at_ >= text_.size() || peek() == '\n' || peek() == '#' || (peek() == '\r' && peek(1) == '\n');
  }
  void next_line() {
    const auto newline = text_.find('\n', at_);
    at_ = newline == std::string_view::npos ? text_.size() : newline + 1;
  }
  void skip_lines() {  // inside an array
    while (at_ < text_.size() && (peek() == ' ' || peek() == '\t' || end_of_line())) {
      if (end_of_line())
        next_line();
      else
        ++at_;
    }
  }

  Result<void> parse_key(KeyPath& out) {
    do {
      skip_blanks();
      std::string part;
      if (peek() == '"' || peek() == '\'') {
        MEMD_TRY(parse_string(part));
      } else {
        while (is_bare(peek()))
          part += text_[at_++];
        if (part.empty()) return wrong("a key is expected");
      }
      out.push_back(std::move(part));
    } while (take('.'));
    return {};
  }

  Result<void> parse_value(TomlValue& out, int depth) {
    if (depth > kDeepestToml) return wrong("too many levels");
    out.begin = at_;
    if (peek() == '"' || peek() == '\'') {
      out.kind = TomlValue::Kind::string;
      MEMD_TRY(parse_string(out.string));
    } else if (peek() == '[') {
      out.kind = TomlValue::Kind::array;
      ++at_;
      for (skip_lines(); peek() != ']'; skip_lines()) {
        TomlPair element;
        element.begin = at_;
        MEMD_TRY(parse_value(element.value, depth + 1));
        skip_lines();
        if (peek() == ',') element.comma = at_++;
        const bool last = element.comma == std::string_view::npos;
        out.elements.push_back(std::move(element));
        if (last && peek() != ']') return wrong("a comma or ] is expected");
      }
      ++at_;
    } else if (peek() == '{') {
      out.kind = TomlValue::Kind::inline_table;
      ++at_;
      for (skip_blanks(); peek() != '}'; skip_blanks()) {
        TomlPair element;
        element.begin = at_;
        MEMD_TRY(parse_key(element.key));
        if (!take('=')) return wrong("an equals sign is expected");
        skip_blanks();
        MEMD_TRY(parse_value(element.value, depth + 1));
        skip_blanks();
        if (peek() == ',') element.comma = at_++;
        const bool last = element.comma == std::string_view::npos;
        out.elements.push_back(std::move(element));
        if (last && peek() != '}') return wrong("a comma or } is expected");
      }
      ++at_;
    } else {
      while (at_ < text_.size() && std::string_view(",]}#\r\n").find(peek()) == std::string_view::npos)
        ++at_;
      while (at_ > out.begin && (text_[at_ - 1] == ' ' || text_[at_ - 1] == '\t'))
        --at_;
      const std::string_view word = text_.substr(out.begin, at_ - out.begin);
      const bool known = word == "true" || word == "false" || word == "inf" || word == "nan" ||
                         (!word.empty() && (word[0] == '+' || word[0] == '-' || (word[0] >= '0' && word[0] <= '9')) &&
                          word.find_first_not_of("0123456789+-._:TZtzabcdefABCDEFinx ") == std::string_view::npos);
      if (!known) {
        at_ = out.begin;
        return wrong(word.empty() ? "a value is expected" : "a text needs quotes");
      }
    }
    out.end = at_;
    return {};
  }

  Result<void> parse_string(std::string& out) {
    const char quote = peek();
    const std::string three(3, quote);
    const bool basic = quote == '"';
    const bool long_one = text_.substr(at_, 3) == three;
    at_ += long_one ? 3 : 1;
    if (long_one && text_.substr(at_, 2) == "\r\n") ++at_;
    if (long_one && peek() == '\n') ++at_;
    while (true) {
      if (at_ >= text_.size() || (!long_one && peek() == '\n')) return wrong("the string has no end");
      if (long_one ? text_.substr(at_, 3) == three : peek() == quote) {
        at_ += long_one ? 3 : 1;
        for (int more = 0; long_one && more < 2 && peek() == quote; ++more)  // """a""""" ends in two quotes
          out += text_[at_++];
        return {};
      }
      if (basic && peek() == '\\')
        MEMD_TRY(parse_escape(out, long_one));
      else
        out += text_[at_++];
    }
  }

  Result<void> parse_escape(std::string& out, bool long_one) {
    ++at_;
    const char c = peek();
    ++at_;
    constexpr std::string_view kLetters = "btnfre\"\\";
    constexpr std::string_view kMeant = "\b\t\n\f\r\x1b\"\\";
    if (const auto i = kLetters.find(c); i != std::string_view::npos) {
      out += kMeant[i];
      return {};
    }
    if (c == 'u' || c == 'U') {
      const int digits = c == 'u' ? 4 : 8;
      std::uint32_t code = 0;
      for (int i = 0; i < digits; ++i, ++at_) {
        const char h = peek();
        const auto value =
            std::string_view("0123456789abcdef").find(static_cast<char>(h >= 'A' && h <= 'F' ? h | 0x20 : h));
        if (h == '\0' || value == std::string_view::npos) return wrong("\\u needs hexadecimal digits");
        code = code << 4 | static_cast<std::uint32_t>(value);
      }
      if (code > 0x10FFFF) return wrong("no such character");
      if (code < 0x80) {
        out += static_cast<char>(code);
      } else {
        const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        out += static_cast<char>((0xF00U >> more & 0xFFU) | code >> (6 * more));
        for (int i = more - 1; i >= 0; --i)
          out += static_cast<char>(0x80 | (code >> (6 * i) & 0x3F));
      }
      return {};
    }
    if (long_one && (c == '\n' || c == ' ' || c == '\t' || c == '\r')) {  // line continuation
      while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r')
        ++at_;
      return {};
    }
    return wrong("no such escape");
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

bool starts_with_path(std::span<const std::string> path, std::span<const std::string> beginning) {
  return path.size() >= beginning.size() && std::equal(beginning.begin(), beginning.end(), path.begin());
}

std::string toml_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += fmt::format("\\{}", c);
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
      out += fmt::format("\\u{:04X}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out + '"';
}

std::string written(const TomlEntry& entry) {
  if (!entry.is_list) return toml_quoted(entry.values.empty() ? "" : entry.values.front());
  std::string out = "[";
  for (std::size_t i = 0; i < entry.values.size(); ++i)
    out += (i > 0 ? ", " : "") + toml_quoted(entry.values[i]);
  return out + "]";
}

std::string key_text(const std::string& key) {
  return !key.empty() && std::all_of(key.begin(), key.end(), is_bare) ? key : toml_quoted(key);
}

std::string dotted(std::span<const std::string> path) {
  std::string out;
  for (const std::string& key : path)
    out += (out.empty() ? "" : ".") + key_text(key);
  return out;
}

std::optional<TomlEntry> entry_of(const std::string& key, const TomlValue& value) {
  if (value.kind == TomlValue::Kind::string) return TomlEntry{key, {value.string}, false};
  if (value.kind != TomlValue::Kind::array) return std::nullopt;
  TomlEntry out{key, {}, true};
  for (const TomlPair& element : value.elements) {
    if (element.value.kind != TomlValue::Kind::string) return std::nullopt;
    out.values.push_back(element.value.string);
  }
  return out;
}

bool same(const TomlEntry& a, const TomlEntry& b) { return a.is_list == b.is_list && a.values == b.values; }

// A value with its full path, in whatever notation.
struct Leaf {
  KeyPath path;
  const TomlValue* value;
};

void collect(const KeyPath& path, const TomlValue& value, std::vector<Leaf>& out) {
  out.push_back({path, &value});
  if (value.kind != TomlValue::Kind::inline_table) return;
  for (const TomlPair& pair : value.elements) {
    KeyPath below = path;
    below.insert(below.end(), pair.key.begin(), pair.key.end());
    collect(below, pair.value, out);
  }
}

std::vector<Leaf> leaves(const std::vector<Statement>& statements) {
  std::vector<Leaf> out;
  for (const Statement& s : statements)
    if (!s.header) collect(s.path, s.value, out);
  return out;
}

const TomlValue* value_at(const std::vector<Leaf>& all, std::span<const std::string> path) {
  const auto it = std::find_if(all.begin(), all.end(), [&](const Leaf& l) {
    return l.path.size() == path.size() && starts_with_path(l.path, path);
  });
  return it == all.end() ? nullptr : it->value;
}

KeyPath joined(std::span<const std::string> path, const std::string& key) {
  KeyPath out(path.begin(), path.end());
  out.push_back(key);
  return out;
}

std::string newline_of(std::string_view text) {
  const auto first = text.find('\n');
  return first != std::string_view::npos && first > 0 && text[first - 1] == '\r' ? "\r\n" : "\n";
}

// Inserts a pair into an inline table { … }, after its last element.
void insert_pair(std::string& text, const TomlValue& table, const std::string& pair) {
  if (table.elements.empty()) {
    text.replace(table.begin, table.end - table.begin, "{ " + pair + " }");
    return;
  }
  const TomlPair& last = table.elements.back();
  const auto at = last.comma == std::string_view::npos ? last.value.end : last.comma + 1;
  text.insert(at, (last.comma == std::string_view::npos ? ", " : " ") + pair);
}

// Puts one entry into an existing table. Parses the text anew, because earlier edits changed it.
Result<void> put_entry(std::string& text, std::span<const std::string> path, const TomlEntry& entry) {
  MEMD_TRY_ASSIGN(const auto statements, TomlParser(text).parse());
  const auto all = leaves(statements);
  const KeyPath full = joined(path, entry.key);
  if (const TomlValue* there = value_at(all, full)) {
    const auto read = entry_of(entry.key, *there);
    if (!read || !same(*read, entry)) text.replace(there->begin, there->end - there->begin, written(entry));
    return {};
  }
  const std::string pair = key_text(entry.key) + " = " + written(entry);
  if (const TomlValue* table = value_at(all, path); table != nullptr) {
    if (table->kind != TomlValue::Kind::inline_table) return Error(Errc::bad_config, dotted(path) + " is no table");
    insert_pair(text, *table, pair);
    return {};
  }
  // Insert after the last line of the table, or after its last dotted key.
  const Statement* after = nullptr;
  for (const Statement& s : statements) {
    const bool of_table = s.header ? s.path.size() == path.size() && starts_with_path(s.path, path)
                                   : s.path.size() == path.size() + 1 && starts_with_path(s.path, path);
    if (of_table) after = &s;
  }
  if (after == nullptr) return Error(Errc::bad_config, "the table " + dotted(path) + " has no place for " + entry.key);
  std::string line = pair;
  if (!after->header) {
    // Use the prefix of the preceding key.
    const std::string_view said = std::string_view(text).substr(after->begin, after->value.begin - after->begin);
    const auto key_end = said.find_last_not_of(" \t=");
    const std::string_view key = said.substr(0, key_end + 1);
    const auto dot = key.rfind('.');
    line = std::string(dot == std::string_view::npos ? key.substr(0, key.find_first_not_of(" \t"))
                                                     : key.substr(0, dot + 1)) +
           pair;
  }
  const std::string newline = newline_of(text);
  const bool ended = after->end > 0 && text[after->end - 1] == '\n';
  text.insert(after->end, ended ? line + newline : newline + line);
  return {};
}

}  // namespace

Result<void> check_toml(std::string_view text) {
  MEMD_TRY(TomlParser(text).parse());
  return {};
}

Result<std::vector<TomlEntry>> read_table(std::string_view text, std::span<const std::string> path) {
  MEMD_TRY_ASSIGN(const auto statements, TomlParser(text).parse());
  std::vector<TomlEntry> out;
  for (const Leaf& leaf : leaves(statements))
    if (leaf.path.size() == path.size() + 1 && starts_with_path(leaf.path, path))
      if (auto entry = entry_of(leaf.path.back(), *leaf.value)) out.push_back(std::move(*entry));
  return out;
}

Result<bool> has_table(std::string_view text, std::span<const std::string> path) {
  MEMD_TRY_ASSIGN(const auto statements, TomlParser(text).parse());
  const auto all = leaves(statements);
  return std::any_of(statements.begin(), statements.end(),
                     [&](const Statement& s) { return s.header && starts_with_path(s.path, path); }) ||
         std::any_of(all.begin(), all.end(), [&](const Leaf& l) { return starts_with_path(l.path, path); });
}

Result<std::string> with_table(std::string_view text, std::span<const std::string> path,
                               std::span<const TomlEntry> entries) {
  std::string out(text);
  MEMD_TRY_ASSIGN(const bool there, has_table(text, path));
  if (there) {
    for (const TomlEntry& entry : entries)
      MEMD_TRY(put_entry(out, path, entry));
    return out;
  }
  MEMD_TRY_ASSIGN(const auto statements, TomlParser(text).parse());
  const auto all = leaves(statements);
  for (std::size_t length = path.size() - 1; length > 0; --length) {
    const TomlValue* above = value_at(all, path.first(length));
    if (above == nullptr) continue;
    if (above->kind != TomlValue::Kind::inline_table)
      return Error(Errc::bad_config, dotted(path.first(length)) + " is no table");
    std::string pairs;  // an inline table cannot be extended from outside
    for (const TomlEntry& entry : entries)
      pairs += (pairs.empty() ? "" : ", ") + key_text(entry.key) + " = " + written(entry);
    insert_pair(out, *above, dotted(path.subspan(length)) + " = { " + pairs + " }");
    return out;
  }
  const std::string newline = newline_of(text);
  if (!out.empty() && !out.ends_with('\n') && out != kTomlByteOrderMark) out += newline;
  if (!out.empty() && out != kTomlByteOrderMark) out += newline;
  out += "[" + dotted(path) + "]" + newline;
  for (const TomlEntry& entry : entries)
    out += key_text(entry.key) + " = " + written(entry) + newline;
  return out;
}

Result<std::string> without_table(std::string_view text, std::span<const std::string> path) {
  std::string out(text);
  MEMD_TRY_ASSIGN(const auto statements, TomlParser(text).parse());
  // Go backwards, so that earlier offsets stay valid.
  for (std::size_t i = statements.size(); i-- > 0;) {
    const Statement& s = statements[i];
    if (starts_with_path(s.path, path)) {
      auto begin = s.begin;
      auto end = s.end;
      if (s.header) {
        // Remove a blank line before the table, too, if a blank line or nothing follows.
        const std::string_view before = std::string_view(out).substr(0, begin);
        const std::string_view rest = std::string_view(out).substr(end);
        const bool blank_follows = rest.empty() || rest.starts_with('\n') || rest.starts_with("\r\n");
        if (blank_follows && before.ends_with("\r\n\r\n"))
          begin -= 2;
        else if (blank_follows && before.ends_with("\n\n"))
          begin -= 1;
      }
      out.erase(begin, end - begin);
    } else if (!s.header && starts_with_path(path, s.path)) {
      // The table is in an inline table of this statement.
      const TomlValue* table = &s.value;
      std::size_t depth = s.path.size();
      while (table->kind == TomlValue::Kind::inline_table) {
        const TomlPair* next = nullptr;
        for (std::size_t e = 0; e < table->elements.size(); ++e) {
          const TomlPair& pair = table->elements[e];
          if (starts_with_path(pair.key, path.subspan(depth))) {  // the table itself
            const bool last = e + 1 == table->elements.size();
            const auto begin = last && e > 0 ? table->elements[e - 1].comma : pair.begin;
            const auto end = last ? pair.value.end : table->elements[e + 1].begin;
            out.erase(begin, end - begin);
            return out;
          }
          if (starts_with_path(path.subspan(depth), pair.key)) next = &pair;
        }
        if (next == nullptr) break;
        depth += next->key.size();
        table = &next->value;
      }
    }
  }
  return out;
}

}  // namespace memd::setup
