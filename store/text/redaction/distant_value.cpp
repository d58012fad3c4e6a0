#include "store/text/redaction/distant_value.hpp"

#include "schemas/base/ascii.hpp"
#include "store/text/words.hpp"

#include <algorithm>
#include <string>

namespace memd::redaction {
namespace {

constexpr std::size_t kMostDistance = 160;  // bytes between a name and its value
constexpr std::size_t kLongestCell = 512;
constexpr std::size_t kLongestHeader = 512;
constexpr std::size_t kLongestTable = 4096;
constexpr std::size_t kMostRows = 64;

bool is_gap(char c) { return c == ' ' || c == '\t'; }

class DistantValues {
 public:
  DistantValues(std::string_view text, const SensitiveName& name, LookAhead& ahead, std::vector<Secret>& out)
      : text_(text), name_(name), ahead_(ahead), out_(out) {}

  void find(bool& doubtful) {
    std::size_t i = name_.end;
    const bool is_opened = name_.begin > 0 && is_quote_mark(text_[name_.begin - 1]);
    if (at(i) == '\\') {
      const bool is_certain = name_.value_kind == ValueKind::password || name_.value_kind == ValueKind::key;
      std::size_t k = i + 1;
      while (at(k) == '\\' && k - i < 8)
        ++k;
      doubtful = doubtful || is_quote_mark(at(k)) || (is_certain && (at(k) == 'n' || at(k) == 't'));
    } else if ((at(i) == ' ' || at(i) == '<') && name_.value_kind != ValueKind::maybe_key) {
      doubtful = doubtful || text_.substr(i, at(i) == '<' ? 24 : 3).find('\\') != std::string_view::npos;
    }
    if (is_quote_mark(at(i))) ++i;
    if (find_in_tags(i)) return;
    if (find_in_attributes(i, is_opened)) return;
    if (is_opened && find_attribute_before()) return;
    if (find_on_next_line(i)) return;
    if (find_printed(doubtful)) return;
    if (find_in_row(i)) return;
    if (find_in_list(i)) return;
    if (find_behind_type(i, doubtful)) return;
    if (find_behind_blanks(i)) return;
    find_in_column(doubtful);
  }

 private:
  char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  std::string_view name_text() const { return text_.substr(name_.begin, name_.end - name_.begin); }

  bool add(std::size_t begin, std::size_t end, bool is_quoted) {
    while (begin < end && (is_gap(text_[begin]) || (!is_quoted && is_quote_mark(text_[begin]))))
      ++begin;
    while (end > begin && (ascii::is_space(text_[end - 1]) || (!is_quoted && is_quote_mark(text_[end - 1]))))
      --end;
    if (end - begin > kLongestCell || end == begin) return false;
    const std::string_view value = text_.substr(begin, end - begin);
    if (!is_value_of(value, name_, is_quoted ? ValueStyle::quoted : ValueStyle::told, ahead_)) return false;
    out_.push_back({begin, end, kind_of(name_)});
    return true;
  }

  // Returns the place of the mark that ends the string at `i`; npos: it is too long for a cell.
  std::size_t end_of_quoted(std::size_t i) const {
    return text_.substr(0, std::min(text_.size(), i + kLongestCell + 1)).find(text_[i], i + 1);
  }

  // Adds the scalar at `i`: a quoted string, or what there is up to the end of the line or of the object.
  bool add_scalar(std::size_t i, bool ends_at_blank) {
    // b"…", and escaped marks of an inner language
    while (at(i) == '\\')
      ++i;
    if (is_quote_mark(at(i))) {
      const std::size_t end = end_of_quoted(i);
      if (end == std::string_view::npos) return false;
      std::size_t last = end;
      while (last > i && text_[last - 1] == '\\')
        --last;
      return add(i + 1, last, true);
    }
    std::size_t end = i;
    while (end < text_.size() && end - i < kLongestCell && text_[end] != '\n' && text_[end] != '<' &&
           text_[end] != '}' && text_[end] != ',' && !(ends_at_blank && ascii::is_space(text_[end])))
      ++end;
    return add(i, end, false);
  }

  // <key>Name</key><string>…</string>, <td>Name</td><td>…, <Name><Value>…, <entry key="name">…
  bool find_in_tags(std::size_t i) {
    const bool is_tag = name_.begin > 0 && text_[name_.begin - 1] == '<';
    const bool is_attribute = is_quote_mark(at(name_.end));
    const std::size_t most = std::min(text_.size(), i + kMostDistance);
    if (is_tag && at(i) == ' ')  // attributes
      while (i < most && text_[i] != '>' && text_[i] != '\n')
        ++i;
    if (is_attribute && at(i) == ' ' &&
        ascii::is_letter(at(i + 1))) {  // further ones: <setting name="…" serializeAs="…">
      const std::size_t close = text_.substr(0, most).find_first_of("<>\n{}", i);
      if (close != std::string_view::npos && text_[close] == '>' && text_[close - 1] != '/') i = close;
    }
    if (at(i) == '>' && (is_tag || is_attribute))
      ++i;
    else if (at(i) != '<')
      return false;
    int tags = 0;
    for (; i < most; ++tags) {
      while (i < most && ascii::is_space(text_[i]))
        ++i;
      if (at(i) != '<' || tags == 6) break;
      while (i < most && text_[i] != '>')
        ++i;
      ++i;
    }
    if (i >= most) return false;
    const std::string_view rest = text_.substr(i, kLongestCell + 1);
    const std::string_view value = rest.substr(0, rest.find('<'));
    return value.size() <= kLongestCell && value.find_first_of("& >(){}") == std::string_view::npos && at(i) != '-' &&
           add(i, i + value.size(), true);
  }

  static bool tells_value(std::string_view word) {
    const std::string low = ascii::lowered(word);
    return words(WordClass::value_name).has(low) || low.ends_with("value");
  }

  // Skips what stands between the attributes of one thing: blanks, line ends, signs, line numbers.
  std::size_t skip_signs(std::size_t i, std::size_t most) const {
    int lines = 0;
    for (; i < most; ++i) {
      const char c = text_[i];
      if (c == '\n' && ++lines > 3) return most;
      if (ascii::is_digit(c)) {  // the number of a line
        std::size_t end = i;
        while (end < most && ascii::is_digit(text_[end]))
          ++end;
        const bool is_arrow = text_.substr(end).starts_with("\xE2\x86\x92");
        if (at(end) != '\t' && at(end) != '|' && at(end) != ':' && !is_arrow) return i;
        i = end + (is_arrow ? 2 : 0);
        continue;
      }
      if (!ascii::is_space(c) && std::string_view(",{+->|").find(c) == std::string_view::npos) return i;
    }
    return most;
  }

  // Whether the name is itself the value of an attribute: "name": "DB_PASSWORD", - name: DB_PASSWORD
  bool is_named() const {
    std::size_t i = name_.begin;
    while (i > 0 && name_.begin - i < kMostDistance &&
           (ascii::is_word(text_[i - 1]) || text_[i - 1] == '/' || text_[i - 1] == '.'))
      --i;  // "/app/db/password"
    while (i > 0 && (is_quote_mark(text_[i - 1]) || text_[i - 1] == '\\'))
      --i;
    while (i > 0 && is_gap(text_[i - 1]))
      --i;
    if (i == 0 || (text_[i - 1] != ':' && text_[i - 1] != '=')) return false;
    --i;
    while (i > 0 && (is_quote_mark(text_[i - 1]) || is_gap(text_[i - 1]) || text_[i - 1] == '\\'))
      --i;
    std::size_t begin = i;
    while (begin > 0 && ascii::is_word(text_[begin - 1]) && i - begin < 24)
      --begin;
    const std::string low = ascii::lowered(text_.substr(begin, i - begin));
    return words(WordClass::naming_name).has(low) || low.ends_with("name") || low.ends_with("key");
  }

  bool find_in_attributes(std::size_t i, bool is_opened) {
    const std::size_t most = std::min(text_.size(), i + kMostDistance);
    // The name of a block, with the value in it: password:\n  value: …; "password": {…; variable "password" {…
    std::size_t k = i;
    while (k < most && is_gap(text_[k]))
      ++k;
    const bool colon = at(k) == ':' || at(k) == '=';
    if (colon) ++k;
    while (k < most && is_gap(text_[k]))
      ++k;
    const bool is_block = at(k) == '{' || (colon && at(k) == '\n');
    if (!is_block && !is_opened && at(i) != '\n' && !is_quote_mark(at(name_.end))) return false;
    if (!is_block && !is_named()) return false;
    i = is_block ? k : i;
    constexpr int kMostAttributes = 5;
    for (int n = 0; n < kMostAttributes && i < most; ++n) {
      i = skip_signs(i, most);
      if (is_quote_mark(at(i))) ++i;
      const std::size_t begin = i;
      while (i < most && ascii::is_word(text_[i]))
        ++i;
      const std::string_view word = text_.substr(begin, i - begin);
      if (word.empty()) return false;
      if (is_quote_mark(at(i))) ++i;
      while (i < most && is_gap(text_[i]))
        ++i;
      if (at(i) != ':' && at(i) != '=') return false;
      ++i;
      while (i < most && is_gap(text_[i]))
        ++i;
      if (tells_value(word)) return add_scalar(i, at(begin - 1) == ' ' && at(i) != '"' && is_quote_mark(at(name_.end)));
      // Some other attribute.
      if (is_quote_mark(at(i))) {
        i = std::min(text_.find(at(i), i + 1), most);
        ++i;
      } else {
        while (i < most && std::string_view(",\n}").find(text_[i]) == std::string_view::npos)
          ++i;
      }
      if (at(i) == '}') return false;
    }
    return false;
  }

  // "value": "…", "name": "DB_PASSWORD"
  bool find_attribute_before() {
    if (!is_named()) return false;
    const std::size_t from = name_.begin - std::min(name_.begin, kMostDistance);
    const std::string_view before = text_.substr(from, name_.begin - from);
    const std::size_t value = before.rfind("alue\"");
    if (value == std::string_view::npos || before.find_first_of("{}[]\n", value) != std::string_view::npos)
      return false;
    std::size_t i = from + value + std::string_view("alue\"").size();
    while (is_gap(at(i)) || at(i) == ':')
      ++i;
    return is_quote_mark(at(i)) && add_scalar(i, false);
  }

  bool is_item_next(std::size_t newline) const {
    std::size_t i = newline + 1;
    while (is_gap(at(i)))
      ++i;
    return at(i) == '-' && at(i + 1) == ' ' && at(i + 2) != '-';
  }

  // Returns the place of the colon that ends the line, a short one of words: "Password for the [elastic] user:"; or
  // `i`.
  std::size_t colon_of_line(std::size_t i) const {
    constexpr std::size_t kMost = 80;
    if (at(i) != ' ' && text_[i - 1] != ' ') return i;
    const std::string_view rest = text_.substr(i, kMost);
    std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) return i;
    while (end > 0 && (is_gap(rest[end - 1]) || rest[end - 1] == '\r' || rest[end - 1] == '*'))
      --end;
    return end > 0 && rest[end - 1] == ':' &&
                   rest.substr(0, end - 1).find_first_of("={};,$\"<>") == std::string_view::npos
               ? i + end - 1
               : i;
  }

  // Password:
  // …
  bool find_on_next_line(std::size_t i) {
    while (at(i) == '*' || is_gap(at(i)))
      ++i;
    const bool is_part = at(i) == '\n' && is_quote_mark(text_[i - 1]) && is_named();     // of a form: name="password"
    const bool is_item = at(i) == '\n' && text_[name_.begin] == '-' && is_item_next(i);  // - --password\n- …
    const bool is_term = at(i) == '\n' && at(i + 1) == ':' && at(i + 2) == ' ';          // name\n: …
    if (is_term)
      ++i;
    else if (at(i) != ':' && !is_part && !is_item)
      i = colon_of_line(i);
    if (at(i) != ':' && !is_part && !is_item) return false;
    if (is_term) return add_scalar(i + 2, true);
    if (!is_part && !is_item) ++i;
    while (at(i) == '*' || is_gap(at(i)) || at(i) == '\r')
      ++i;
    int lines = 0;
    for (; at(i) == '\n' || is_gap(at(i)) || at(i) == '\r'; ++i)
      if (at(i) == '\n' && ++lines > 2) return false;
    if (lines == 0) return false;
    if (at(i) == '>' || at(i) == '-') ++i;
    while (is_gap(at(i)) || at(i) == '`')
      ++i;
    const std::size_t begin = i;
    while (i < text_.size() && !ascii::is_space(text_[i]) && i - begin < kLongestCell)
      ++i;
    std::size_t end = i;
    while (at(i) == ' ' || at(i) == '\r')
      ++i;
    while (end > begin && is_quote_mark(text_[end - 1]))
      --end;
    if (at(i) != '\n' && i < text_.size()) return false;
    const std::string_view value = text_.substr(begin, end - begin);
    if (name_.value_kind == ValueKind::pin) return add(begin, end, false);
    // Code, and the next name.
    if (value.size() < 6 || value.find_first_of("(){}[];:/<>") != std::string_view::npos || value.back() == ',')
      return false;
    return is_mixed(value) && add(begin, end, false);
  }

  // $ printenv DB_PASSWORD
  // …
  bool find_printed(bool& doubtful) {
    if (name_.value_kind != ValueKind::password && name_.value_kind != ValueKind::key) return false;
    const std::size_t reach = std::min<std::size_t>(name_.begin, 160);
    const std::size_t newline = text_.substr(name_.begin - reach, reach).rfind('\n');
    if (newline == std::string_view::npos && reach < name_.begin) return false;
    const std::size_t line = newline == std::string_view::npos ? 0 : name_.begin - reach + newline + 1;
    const std::string_view before = text_.substr(line, name_.begin - line);
    const std::size_t prompt = before.find_first_of("$%#>");
    if (prompt == std::string_view::npos || prompt + 1 >= before.size() || before[prompt + 1] != ' ') return false;
    const std::size_t end =
        std::min(text_.substr(0, std::min(text_.size(), name_.end + 160)).find('\n', name_.end), text_.size());
    if (end == text_.size()) {
      doubtful = doubtful || text_.substr(name_.end, 160).find("\\n") != std::string_view::npos;
      return false;
    }
    std::size_t last = end + 1;
    while (last < text_.size() && !ascii::is_space(text_[last]) && last - end < kLongestCell)
      ++last;
    const std::string_view value = text_.substr(end + 1, last - end - 1);
    if ((last < text_.size() && text_[last] != '\n' && text_[last] != '\r') || value.size() < 6 || !is_mixed(value))
      return false;
    if (value.find_first_of("/:(){}[]<>=,\\") != std::string_view::npos && !is_token_like(value, 20, ahead_))
      return false;
    return add(end + 1, last, false);
  }

  // The lines of a list: credentials:\n  - ada\n  - …; or of an array, "api_keys": ["…", "…"]
  bool find_in_list(std::size_t i) {
    if (at(i) != ':') return false;
    ++i;
    while (is_gap(at(i)))
      ++i;
    bool is_found = false;
    if (at(i) == '[') {
      for (int n = 0; n < 32; ++n) {
        do
          ++i;
        while (i < text_.size() && (ascii::is_space(text_[i]) || text_[i] == ','));
        if (!is_quote_mark(at(i))) break;
        const std::size_t end = text_.substr(0, std::min(text_.size(), i + kLongestCell)).find(text_[i], i + 1);
        if (end == std::string_view::npos) break;
        is_found = add(i + 1, end, true) || is_found;
        i = end;
      }
      return is_found;
    }
    for (int n = 0; n < 32 && at(i) == '\n'; ++n) {
      ++i;
      while (is_gap(at(i)))
        ++i;
      if (at(i) != '-' || at(i + 1) != ' ') break;
      const std::size_t end =
          std::min(text_.substr(0, std::min(text_.size(), i + kLongestCell)).find('\n', i), text_.size());
      const std::string_view value = text_.substr(i + 2, end - i - 2);
      if (value.find_first_of(" :") == std::string_view::npos && is_token_like(value, 8, ahead_))
        is_found = add(i + 2, end, false) || is_found;
      i = end;
    }
    return is_found;
  }

  // (name, password) VALUES ('ada', '…')
  bool find_in_row(std::size_t i) {
    while (is_gap(at(i)))
      ++i;
    if (at(i) != ',' && at(i) != ')') return false;
    const std::size_t least = name_.begin - std::min(name_.begin, kLongestHeader);
    std::size_t column = 0;
    std::size_t open = name_.begin;
    while (open > least && text_[open - 1] != '(' && text_[open - 1] != ';')
      column += text_[--open] == ',' ? 1 : 0;
    if (open == least) return false;
    const std::string_view behind = text_.substr(i, kLongestHeader);
    const std::size_t close = behind.find(')');
    if (close == std::string_view::npos || behind.substr(0, close).find_first_of("(;=") != std::string_view::npos)
      return false;
    std::size_t k = i + close + 1;
    while (ascii::is_space(at(k)))
      ++k;
    if (!ascii::starts_nocase(text_.substr(k), "values")) return false;
    bool is_found = false;
    std::size_t at_column = 0;
    const std::size_t most = std::min(text_.size(), k + kLongestTable);
    for (k += 6; k < most && text_[k] != ';'; ++k) {
      if (text_[k] == '(') at_column = 0;
      if (text_[k] == ',') ++at_column;
      if (!is_quote_mark(text_[k])) continue;
      const std::size_t end = text_.substr(0, most).find(text_[k], k + 1);
      if (end == std::string_view::npos) break;
      if (at_column == column) is_found = add(k + 1, end, true) || is_found;
      k = end;
    }
    return is_found;
  }

  static bool is_mixed(std::string_view v) {
    return std::any_of(v.begin(), v.end(), ascii::is_digit) && std::any_of(v.begin(), v.end(), ascii::is_letter);
  }

  // Whether the word before the name sets it: setenv, #define, ENV, config set, set -gx
  bool is_set() const {
    std::size_t i = name_.begin;
    for (int n = 0; n < 3 && i > 0 && text_[i - 1] == ' '; ++n) {
      std::size_t end = i - 1;
      std::size_t begin = end;
      while (begin > 0 && !ascii::is_space(text_[begin - 1]) && end - begin < 16)
        --begin;
      const std::string_view word = text_.substr(begin, end - begin);
      std::string low = ascii::lowered(word);
      while (!low.empty() && !ascii::is_alnum(low.front()) && low.front() != '-')
        low.erase(0, 1);
      if (words(WordClass::setting_word).has(low)) return true;
      if (!low.starts_with('-')) return false;
      i = begin;
    }
    return false;
  }

  bool is_line_start() const {
    std::size_t i = name_.begin;
    while (i > 0 && is_gap(text_[i - 1]))
      --i;
    return i == 0 || text_[i - 1] == '\n';
  }

  // setenv DB_PASSWORD …, rootpw --plaintext …, enable secret 0 …
  bool find_behind_blanks(std::size_t i) {
    const std::size_t first = i;
    while (is_gap(at(i)) && i - first < 40)
      ++i;
    if (i == first) return false;
    bool has_option = false;
    for (int n = 0; n < 2; ++n) {
      if (at(i) == '-' && ascii::is_letter(at(i + 1) == '-' ? at(i + 2) : at(i + 1))) {  // --plaintext
        std::size_t end = i;
        while (end < text_.size() && !ascii::is_space(text_[end]) && end - i < 24)
          ++end;
        if (at(end) != ' ') return false;
        i = end + 1;
        has_option = true;
      } else if (ascii::is_digit(at(i)) && at(i + 1) == ' ') {
        i += 2;
        has_option = true;
      } else {
        break;
      }
    }
    // const apiToken string = "…"
    std::size_t type = i;
    while (type - i < 24 && (ascii::is_word(at(type)) || at(type) == '(' || at(type) == ')'))
      ++type;
    if (type > i && text_.substr(type, 3) == " = " && is_quote_mark(at(type + 3)))
      i = type + 3;
    else
      type = i;
    if (at(i) == '(') {  // Token (…)
      const std::size_t close = text_.substr(0, std::min(text_.size(), i + kMostDistance)).find(')', i);
      return close != std::string_view::npos && is_token_like(text_.substr(i + 1, close - i - 1), 16, ahead_) &&
             add(i + 1, close, false);
    }
    if (is_quote_mark(at(i))) {
      const std::size_t end = end_of_quoted(i);
      if (end == std::string_view::npos) return false;
      const std::string_view value = text_.substr(i + 1, end - i - 1);
      if (type == i && !(is_mixed(value) && (is_token_like(value, 10, ahead_) || is_random(value, 10, ahead_))) &&
          !is_set())
        return false;
      return add(i + 1, end, true);
    }
    std::size_t end = i;
    while (end < text_.size() && !ascii::is_space(text_[end]) && !is_quote_mark(text_[end]) && text_[end] != ';' &&
           text_[end] != ',' && text_[end] != '\\' && end - i < kLongestCell)
      ++end;
    while (end > i && std::string_view(".,)").find(text_[end - 1]) != std::string_view::npos)
      --end;
    const std::string_view value = text_.substr(i, end - i);
    if (value.size() < 6 || !is_mixed(value)) return false;
    const bool is_sure = is_set();
    constexpr std::size_t kKey = 38;  // characters of Base64
    if (name_.value_kind == ValueKind::key && is_token_like(value, kKey, ahead_) && ahead_.wordiness(value) < 0.35)
      return add(i, end, false);
    if (value.find_first_of(is_sure ? "()<>" : "(){}[]<>=:|/\"") != std::string_view::npos || at(end) == '(' ||
        value.starts_with("0x"))
      return false;
    if (is_sure || ((has_option || is_line_start()) && value.find('.') == std::string_view::npos))
      return (is_token_like(value, 8, ahead_) || is_random(value, 8, ahead_) || is_chosen_here(value, is_sure)) &&
             add(i, end, false);
    return is_token_like(value, 10, ahead_) && add(i, end, false);
  }

  // A password that is set by a word, and no name of code.
  bool is_chosen_here(std::string_view value, bool is_sure) {
    return is_sure && name_.value_kind == ValueKind::password && value.find('_') == std::string_view::npos &&
           ahead_.wordiness(value) < 0.8;
  }

  // Password { get; set; } = "…"; password: string | *"…"
  bool find_behind_type(std::size_t i, bool& doubtful) {
    const std::size_t first = i;
    while (i < text_.size() && i - first < 40 &&
           (ascii::is_word(text_[i]) || std::string_view(" :{};|*&<>[]'?=").find(text_[i]) != std::string_view::npos))
      ++i;
    if (i - first < 6 || (at(i - 1) != '*' && text_.substr(i - 2, 2) != "= ")) return false;
    doubtful = doubtful || (at(i) == '\\' && at(i + 1) == '"');
    if (at(i) != '"') return false;
    const std::size_t end = end_of_quoted(i);
    return end != std::string_view::npos && is_token_like(text_.substr(i + 1, end - i - 1), 8, ahead_) &&
           add(i + 1, end, true);
  }

  struct Table {
    std::string_view separator;  // empty: columns are aligned
    std::size_t column = 0;      // index, or byte in the line
    std::size_t cells = 0;
  };

  static std::vector<std::string_view> cells_of(std::string_view line, std::string_view separator) {
    std::vector<std::string_view> out;
    for (std::size_t i = 0; i <= line.size();) {
      std::size_t end = i;
      if (i < line.size() && line[i] == '"' && separator != "|") {
        end = line.find('"', i + 1);
        if (end == std::string_view::npos) end = i;
      }
      end = std::min(line.find(separator, end), line.size());
      out.push_back(line.substr(i, end - i));
      i = end + separator.size();
    }
    return out;
  }

  // Whether this is the header of a table with the name as one of its cells.
  bool is_header(std::string_view line, std::size_t name_begin, std::size_t name_end, bool is_ruled,
                 Table& table) const {
    if (line.find_first_of("()={}<>&$\\#%!?*@") != std::string_view::npos) return false;
    for (const std::string_view separator : {"\t", "|", "\xE2\x94\x82", ";", ","}) {
      if (line.find(separator) == std::string_view::npos) continue;
      const auto cells = cells_of(line, separator);
      table = {separator, 0, cells.size()};
      if (std::count_if(cells.begin(), cells.end(),
                        [](std::string_view c) { return std::any_of(c.begin(), c.end(), ascii::is_letter); }) < 2)
        return false;
      bool is_found = false;
      for (std::size_t c = 0; c < cells.size(); ++c) {
        std::string_view cell = ascii::trimmed(cells[c]);
        while (!cell.empty() && is_quote_mark(cell.front()))
          cell.remove_prefix(1);
        while (!cell.empty() && is_quote_mark(cell.back()))
          cell.remove_suffix(1);
        if (cell.size() > 32 || std::count(cell.begin(), cell.end(), ' ') > 2 ||
            cell.find(':') != std::string_view::npos)
          return false;
        const auto begin = static_cast<std::size_t>(cell.data() - line.data());
        if (begin <= name_begin && name_end <= begin + cell.size() && !cell.empty()) {
          if (name_end != begin + cell.size()) return false;
          table.column = c;
          is_found = true;
        }
      }
      return is_found;
    }
    // Columns, two blanks or more apart, with no small letter: USER  PASSWORD; or Key   Value, whose rows have names.
    if (name_text().size() < 3 || (!is_ruled && std::any_of(line.begin(), line.end(), ascii::is_lower))) return false;
    if (line.find("  ") == std::string_view::npos || line.find_first_of(".,:;-/") != std::string_view::npos)
      return false;
    table = {{}, name_begin, 0};
    return true;
  }

  // The bytes of the signs of boxes are those of ─ │ ┼ and the like.
  static bool is_rule(std::string_view line) {
    return line.find_first_not_of("-+|:= \r\t\xE2\x94\x95\x80\x81\x82\x9C\xA4\xBC\x90\xAC\xA1\xAA") ==
               std::string_view::npos &&
           (line.find("--") != std::string_view::npos || line.find("==") != std::string_view::npos ||
            line.find("\x94\x80") != std::string_view::npos || line.find("\x95\x90") != std::string_view::npos);
  }

  void find_in_column(bool& doubtful) {
    std::size_t next = name_.end;
    if (is_quote_mark(at(next))) ++next;
    const std::size_t sign = next;
    while (is_gap(at(next)) && next - sign < 40)
      ++next;
    const char c = at(next);
    const bool is_cell = c == ',' || c == ';' || c == '|' || c == '\xE2' || c == '\n' || c == '\r' || c == '\\' ||
                         at(sign) == '\t' || next - sign >= 2;
    if (!is_cell) return;
    const std::size_t least = name_.begin - std::min(name_.begin, kLongestHeader);
    const std::size_t newline = text_.substr(least, name_.begin - least).rfind('\n');
    if (newline == std::string_view::npos && least > 0) return;
    const std::size_t first = newline == std::string_view::npos ? 0 : least + newline + 1;
    const std::size_t last = text_.substr(0, std::min(text_.size(), first + kLongestHeader)).find('\n', name_.end);
    if (last == std::string_view::npos) {
      doubtful = doubtful || text_.substr(next, kLongestHeader).find("\\n") != std::string_view::npos;
      return;
    }
    const std::string_view header = ascii_trimmed_right(text_.substr(first, last - first));
    Table table;
    std::size_t line = last + 1;
    const std::string_view below = text_.substr(line, kLongestHeader);
    if (!is_header(header, name_.begin - first, name_.end - first, is_rule(below.substr(0, below.find('\n'))), table))
      return;
    const std::size_t most = std::min(text_.size(), line + kLongestTable);
    for (std::size_t row = 0; row < kMostRows && line < most; ++row) {
      const std::string_view rest = text_.substr(line, kLongestTable + 1);
      const std::size_t length = std::min(rest.find('\n'), rest.size());
      if (length > kLongestTable) return;
      const std::size_t end = line + length;
      const std::string_view cells = ascii_trimmed_right(text_.substr(line, end - line));
      if (cells.empty() || !add_cell(cells, line, table)) {
        if (!is_rule(cells)) return;
      }
      line = end + 1;
    }
  }

  static std::string_view ascii_trimmed_right(std::string_view line) {
    while (!line.empty() && ascii::is_space(line.back()) && line.back() != '\t')
      line.remove_suffix(1);
    return line;
  }

  // Returns false where the table has ended.
  bool add_cell(std::string_view line, std::size_t begin, const Table& table) {
    if (is_rule(line)) return true;
    if (table.separator.empty()) {
      const std::size_t at_column = table.column;
      if (line.size() <= at_column || ascii::is_space(line[at_column]) ||
          !ascii::is_space(line[at_column - (at_column > 0)]))
        return false;
      const std::size_t end = std::min(line.find(' ', at_column), line.size());
      add_if_mixed(begin + at_column, begin + end);
      return true;
    }
    const auto cells = cells_of(line, table.separator);
    if (cells.size() != table.cells) return false;
    const std::string_view cell = cells[table.column];
    const auto from = begin + static_cast<std::size_t>(cell.data() - line.data());
    add_if_mixed(from, from + cell.size());
    return true;
  }

  void add_if_mixed(std::size_t begin, std::size_t end) {
    while (begin < end && (ascii::is_space(text_[begin]) || is_quote_mark(text_[begin])))
      ++begin;
    while (end > begin && (ascii::is_space(text_[end - 1]) || is_quote_mark(text_[end - 1])))
      --end;
    const std::string_view value = text_.substr(begin, end - begin);
    if (value.find(' ') == std::string_view::npos) add(begin, end, false);
  }

  std::string_view text_;
  const SensitiveName& name_;
  LookAhead& ahead_;
  std::vector<Secret>& out_;
};

}  // namespace

void find_distant_values(std::string_view text, const SensitiveName& name, LookAhead& ahead, std::vector<Secret>& out,
                         bool& doubtful) {
  DistantValues(text, name, ahead, out).find(doubtful);
}

void find_in_call(std::string_view text, std::size_t word_end, LookAhead& ahead, std::vector<Secret>& out) {
  constexpr std::size_t kLongestRest = 24;  // of the name behind the word
  constexpr std::size_t kReach = 240;
  std::size_t i = word_end;
  while (i < text.size() && i - word_end < kLongestRest && ascii::is_word(text[i]))
    ++i;
  if (i == text.size() || text[i] != '(') return;
  const std::size_t most = std::min(text.size(), i + kReach);
  for (int depth = 0; i < most; ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0 || text[i] == ';') return;
    if (!is_quote_mark(text[i])) continue;
    const std::size_t end = text.substr(0, most).find(text[i], i + 1);
    if (end == std::string_view::npos) return;
    std::string_view value = text.substr(i + 1, end - i - 1);
    while (value.ends_with('\\'))  // of an escaped mark
      value.remove_suffix(1);
    if (is_token_like(value, 8, ahead) && !is_placeholder(value, ahead))
      out.push_back({i + 1, i + 1 + value.size(), "password"});
    i = end;
  }
}

namespace {

// The literal before a comment that the name begins or ends: "…", // password
Secret told_by_comment(std::string_view text, const SensitiveName& name) {
  constexpr std::size_t kReach = 160;
  const std::size_t from = name.begin - std::min(name.begin, kReach);
  std::string_view before = text.substr(from, name.begin - from);
  if (const auto newline = before.rfind('\n'); newline != std::string_view::npos) before.remove_prefix(newline + 1);
  std::size_t mark = std::string_view::npos;
  for (const std::string_view sign : {" // ", " # ", " -- ", " /* "})
    if (const auto at = before.rfind(sign); at != std::string_view::npos && before.size() - at < 32) mark = at;
  if (mark == std::string_view::npos) return {};
  const std::size_t close = before.substr(0, mark).find_last_of("\"'");
  if (close == std::string_view::npos || close == 0 || mark - close > 4) return {};
  const std::size_t open = before.rfind(before[close], close - 1);
  if (open == std::string_view::npos) return {};
  const std::size_t line = name.begin - before.size();
  return {line + open + 1, line + close, kind_of(name)};
}

}  // namespace

bool find_near_name(std::string_view text, const SensitiveName& name, LookAhead& ahead, std::vector<Secret>& out) {
  constexpr std::size_t kReach = 72;
  constexpr std::size_t kLongest = 64;
  constexpr std::size_t kShortest = 8;
  constexpr int kMostWords = 6;
  if (name.value_kind != ValueKind::password && name.value_kind != ValueKind::short_password &&
      name.value_kind != ValueKind::key)
    return false;
  const auto is_secret = [&](std::string_view word) {
    return word.size() >= kShortest && word.size() <= kLongest &&
           word.find_first_of("/._-#`") == std::string_view::npos &&
           std::none_of(word.begin(), word.end(), ascii::is_non_ascii) && is_token_like(word, kShortest, ahead) &&
           !is_placeholder(word, ahead);
  };
  const auto ends = [](char c) { return c == '\n' || c == '|' || c == ';' || c == '}' || c == '\\'; };
  const auto separates = [](char c) {
    return ascii::is_space(c) || is_quote_mark(c) || std::string_view("=:,()<>{}[]*").find(c) != std::string_view::npos;
  };
  const std::string_view line = text.substr(name.end, kReach + kLongest);
  int words = 0;
  bool may_go_on = true;  // to the next line: only signs are behind the name
  for (std::size_t i = 0; i < std::min(line.size(), kReach) && words < kMostWords;) {
    if (line[i] == '\n' && may_go_on && i > 0 && (line[i - 1] == '>' || line[i - 1] == '=')) {
      may_go_on = false;
      ++i;
      continue;
    }
    if (line[i] == '\\' && i + 1 < line.size() &&
        (line[i + 1] == '\\' || is_quote_mark(line[i + 1]))) {  // escaped marks
      ++i;
      continue;
    }
    if (ends(line[i])) break;
    if (separates(line[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < line.size() && !separates(line[end]) && !ends(line[end]))
      ++end;
    std::string_view word = line.substr(i, end - i);
    while (word.ends_with('.') || word.ends_with('!') || word.ends_with('?'))
      word.remove_suffix(1);
    if (i > 0 && (end < line.size() || name.end + end == text.size()) && is_secret(word)) {
      out.push_back({name.end + i, name.end + i + word.size(), kind_of(name)});
      return true;
    }
    ++words;
    may_go_on = false;
    i = end;
  }
  if (const Secret told = told_by_comment(text, name);
      told && is_secret(text.substr(told.begin, told.end - told.begin))) {
    out.push_back(told);
    return true;
  }
  // SELECT '…' AS password; MOVE '…' TO WS-PASSWORD
  const std::string_view before =
      text.substr(name.begin - std::min(name.begin, kLongest + 4), std::min(name.begin, kLongest + 4));
  for (const std::string_view joint : {" to ", " as "}) {
    if (before.size() < joint.size() + 2 || !ascii::equal_nocase(before.substr(before.size() - joint.size()), joint))
      continue;
    const std::size_t close = before.size() - joint.size() - 1;
    if (!is_quote_mark(before[close])) continue;
    const std::size_t open = before.rfind(before[close], close - 1);
    if (open == std::string_view::npos || !is_secret(before.substr(open + 1, close - open - 1))) continue;
    const std::size_t from = name.begin - before.size();
    out.push_back({from + open + 1, from + close, kind_of(name)});
    return true;
  }
  return false;
}

}  // namespace memd::redaction
