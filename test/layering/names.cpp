#include "test/layering/names.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <initializer_list>
#include <vector>

namespace memd::layering {
namespace {

struct Token {
  std::string_view text;  // an identifier or a number, "::", "->", "..." or one character
  int line = 0;
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Cuts C++ into tokens, without comments, literals of text and directives.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    std::vector<Token> out;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const std::string_view rest = text_.substr(at_);
      if (rest.starts_with("//") || c == '#')
        pass_line();
      else if (rest.starts_with("R\"") && (at_ == 0 || !is_word(text_[at_ - 1])))
        pass_to(")" + std::string(rest.substr(2, rest.find('(') - 2)) + "\"");
      else if (c == '"' || c == '\'')
        pass_literal(c);
      else if (is_word(c))
        out.push_back({word(), line_});
      else if (std::isspace(static_cast<unsigned char>(c)) != 0)
        pass(1);
      else
        out.push_back({take(rest.starts_with("...")                            ? 3
                            : rest.starts_with("::") || rest.starts_with("->") ? 2
                                                                               : 1),
                       line_});
    }
    return out;
  }

 private:
  std::string_view take(std::size_t size) {
    at_ += size;
    return text_.substr(at_ - size, size);
  }
  void pass(std::size_t size) {
    const auto passed = take(std::min(size, text_.size() - at_));
    line_ += static_cast<int>(std::count(passed.begin(), passed.end(), '\n'));
  }
  void pass_to(const std::string& end) {
    const auto found = text_.find(end, at_);
    pass(found == std::string_view::npos ? text_.size() : found + end.size() - at_);
  }
  void pass_line() {
    do
      pass_to("\n");
    while (at_ > 1 && at_ < text_.size() && text_[at_ - 2] == '\\');
  }
  void pass_literal(char quote) {
    std::size_t size = 1;
    while (at_ + size < text_.size() && text_[at_ + size] != quote)
      size += text_[at_ + size] == '\\' ? 2 : 1;
    pass(size + 1);
  }
  // 1'000 is one word.
  std::string_view word() {
    const bool is_number = std::isdigit(static_cast<unsigned char>(text_[at_])) != 0;
    std::size_t size = 1;
    while (at_ + size < text_.size() && (is_word(text_[at_ + size]) || (is_number && text_[at_ + size] == '\'')))
      ++size;
    return take(size);
  }

  const std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

// SessionRow, Row, kMost, read_head. A name of one word in small letters is mostly that of a variable or a member.
bool tells_what_it_is(std::string_view name) {
  const auto is_capital = [](unsigned char c) { return std::isupper(c) != 0; };
  if (is_capital(name[0])) return name.size() > 1 && name.find('_') == std::string_view::npos;
  return std::islower(static_cast<unsigned char>(name[0])) != 0 &&
         (name.find('_') != std::string_view::npos || (name[0] == 'k' && name.size() > 1 && is_capital(name[1])));
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool begins_type(std::string_view word) {
  return is_one_of(word, {"struct", "class", "enum", "union", "concept", "typename"});
}

// Whether a name between the two, of no type, is declared there.
bool is_introduced(std::string_view before, std::string_view after) {
  if (before == "using") return after == "=";
  if (after.size() != 1 || std::string_view("(={[;,):>").find(after) == std::string_view::npos) return false;
  if (is_one_of(before, {"&", "*", ">", "]"})) return true;
  return is_word(before[0]) &&
         !is_one_of(before, {"return",  "co_return", "co_await",  "co_yield", "throw",   "new",       "delete",
                             "else",    "case",      "const",     "static",   "inline",  "constexpr", "operator",
                             "and",     "or",        "not",       "public",   "private", "protected", "explicit",
                             "virtual", "extern",    "namespace", "friend",   "mutable", "goto"});
}

}  // namespace

Names names_in(std::string_view text) {
  const std::vector<Token> tokens = Lexer(text).run();
  const auto text_at = [&](std::size_t at) { return at < tokens.size() ? tokens[at].text : std::string_view(" "); };
  Names out;
  std::set<std::string_view> aliases;  // of namespaces, mostly of libraries
  std::vector<bool> is_namespace;      // of the braces and parentheses that are open
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view word = tokens[i].text;
    if (word == "namespace") {
      std::size_t end = i + 1;
      while (!is_one_of(text_at(end), {"{", ";", "=", " "}))
        ++end;
      if (text_at(end) == "{") {
        for (std::size_t at = i + 1; at < end && (!is_namespace.empty() || text_at(i + 1) == "memd"); ++at)
          out.namespaces.emplace(text_at(at));
        is_namespace.push_back(true);
      } else if (text_at(end) == "=") {
        aliases.insert(text_at(i + 1));
      }
      i = end;
    } else if (word == "{" || word == "(") {
      is_namespace.push_back(false);
    } else if ((word == "}" || word == ")") && !is_namespace.empty()) {
      is_namespace.pop_back();
    } else if (tells_what_it_is(word)) {
      std::size_t first = i;  // of beast::http::string_body
      while (first > 1 && tokens[first - 1].text == "::")
        first -= 2;
      const bool is_pack = first > 1 && tokens[first - 1].text == "...";  // class... Texts
      const std::string_view before = first > 0 ? tokens[first - (is_pack ? 2 : 1)].text : " ";
      const bool is_qualified = first < i;
      const bool is_type = begins_type(before) && text_at(i + 1) != ";";
      const bool is_keys = before == "(" && first > 1 && tokens[first - 2].text == "MEMD_KEYS";  // makes a struct
      if (is_type || is_keys || (!is_qualified && !begins_type(before) && is_introduced(before, text_at(i + 1)))) {
        out.introduced.emplace(word);
        if (std::find(is_namespace.begin(), is_namespace.end(), false) == is_namespace.end())
          out.declared.emplace(word);
      } else if (begins_type(before)) {
        out.incomplete.emplace(word);
      } else if (!is_one_of(before, {".", "->"})) {
        const std::string_view qualifier = is_qualified ? tokens[first].text : "";
        if (!aliases.contains(qualifier)) out.used.emplace(std::pair(qualifier, word), tokens[i].line);
      }
    }
  }
  return out;
}

}  // namespace memd::layering
