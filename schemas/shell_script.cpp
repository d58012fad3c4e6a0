#include "schemas/shell_script.hpp"

#include "schemas/base/ascii.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace memd {
namespace {

using Kind = ShellNode::Kind;
using Joint = ShellNode::Joint;

constexpr int kDeepestShell = 24;  // nested groups; deeper ones are not read

template <std::size_t N>
bool is_among(std::string_view word, const std::array<std::string_view, N>& list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

constexpr std::array<std::string_view, 6> kLoops{"for", "while", "until", "case", "select", "if"};
// Words that end a sequence inside a compound command.
constexpr std::array<std::string_view, 7> kBetween{"then", "do", "elif", "else", "fi", "done", "esac"};

ShellNode node_of(Kind kind) {
  ShellNode out;
  out.kind = kind;
  return out;
}

class ScriptReader {
 public:
  explicit ScriptReader(std::string_view text) : text_(text) {}

  // Reads up to `closing`, a word or a bracket, or to a word of kBetween in a compound command.
  ShellNode sequence(std::string_view closing, bool compound) {
    ShellNode out = node_of(Kind::sequence);
    ++depth_;
    while (true) {
      skip_separators();
      if (at_ == text_.size() || is_end(closing, compound)) break;
      const std::size_t before = at_;
      ShellNode part = chain(closing, compound);
      skip_blanks();
      if (peek("&") && !peek("&&")) {
        part.in_background = true;
        ++at_;
      }
      if (at_ == before) ++at_;  // a stray bracket
      if (part.kind != Kind::command || !part.words.empty()) out.parts.push_back(std::move(part));
    }
    --depth_;
    return out;
  }

 private:
  bool peek(std::string_view token) const { return text_.substr(at_).starts_with(token); }

  void skip_blanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n')
        at_ += 2;
      else if (c == ' ' || c == '\t' || c == '\r')
        ++at_;
      else if (c == '#' && (at_ == 0 || ascii::is_space(text_[at_ - 1])))
        at_ = std::min(text_.find('\n', at_), text_.size());
      else
        break;
    }
  }

  void skip_separators() {
    while (true) {
      skip_blanks();
      if (at_ == text_.size() || (text_[at_] != ';' && text_[at_] != '\n')) return;
      if (text_[at_] == '\n')
        end_line();
      else
        ++at_;
    }
  }

  // Passes a line break, and the here documents that begin on the line.
  void end_line() {
    ++at_;
    for (const std::string& delimiter : std::exchange(here_, {})) {
      while (at_ < text_.size()) {
        const auto end = std::min(text_.find('\n', at_), text_.size());
        const auto line = ascii::trimmed(text_.substr(at_, end - at_));
        at_ = std::min(end + 1, text_.size());
        if (line == delimiter) break;
      }
    }
  }

  std::string_view word_ahead() const {
    const auto rest = text_.substr(at_);
    return rest.substr(0, rest.find_first_of(" \t\r\n;|&()<>"));
  }

  bool is_end(std::string_view closing, bool compound) const {
    const auto word = word_ahead();
    if (compound && is_among(word, kBetween)) return true;
    return !closing.empty() && (closing == ")" ? peek(")") : word == closing);
  }

  ShellNode chain(std::string_view closing, bool compound) {
    ShellNode out = node_of(Kind::chain);
    Joint joint = Joint::plain;
    while (true) {
      ShellNode part = pipeline(closing, compound);
      part.joint = joint;
      out.parts.push_back(std::move(part));
      skip_blanks();
      if (!peek("&&") && !peek("||")) break;
      joint = peek("&&") ? Joint::and_then : Joint::or_else;
      at_ += 2;
      skip_separators();
    }
    return only_part(std::move(out));
  }

  ShellNode pipeline(std::string_view closing, bool compound) {
    ShellNode out = node_of(Kind::pipeline);
    skip_blanks();
    while (word_ahead() == "!") {
      out.negated = !out.negated;
      ++at_;
      skip_blanks();
    }
    while (true) {
      out.parts.push_back(command(closing, compound));
      skip_blanks();
      if (!peek("|") || peek("||")) break;
      at_ += peek("|&") ? 2 : 1;
      skip_separators();
    }
    return out.negated ? out : only_part(std::move(out));
  }

  static ShellNode only_part(ShellNode node) {
    if (node.parts.size() != 1) return node;
    ShellNode part = std::move(node.parts.front());
    return part;
  }

  ShellNode command(std::string_view closing, bool compound) {
    skip_blanks();
    if (depth_ < kDeepestShell) {
      if (peek("(") && !peek("((")) return group(")");
      const auto word = word_ahead();
      if (word == "{") return group("}");
      if (is_among(word, kLoops)) return compound_command(word);
    }
    ShellNode out;
    while (true) {
      skip_blanks();
      if (at_ == text_.size() || std::string_view(";\n|").find(text_[at_]) != std::string_view::npos) break;
      if (out.words.empty() && is_end(closing, compound)) break;
      if (peek(")")) {
        if (closing == ")") break;
        ++at_;
        continue;
      }
      if (peek("&") && !peek("&>")) break;
      if (redirection()) continue;
      if (out.words.empty() && depth_ < kDeepestShell && holds_command()) return group(")");
      out.words.push_back(word());
    }
    return out;
  }

  // At `name=$(`, moves to the bracket.
  bool holds_command() {
    const auto name = word_ahead();
    if (!name.ends_with("=$") || at_ + name.size() >= text_.size() || text_[at_ + name.size()] != '(') return false;
    at_ += name.size();
    return true;
  }

  ShellNode group(std::string_view closing) {
    ++at_;
    ShellNode out = node_of(Kind::group);
    out.parts.push_back(sequence(closing, false));
    if (peek(closing)) ++at_;
    skip_redirections();
    return out;
  }

  ShellNode compound_command(std::string_view opening) {
    at_ += opening.size();
    ShellNode out = node_of(opening == "if" ? Kind::branch : Kind::loop);
    while (true) {
      out.parts.push_back(sequence({}, true));
      if (at_ == text_.size()) break;
      const auto word = word_ahead();
      at_ += std::max<std::size_t>(word.size(), 1);
      if (word == "fi" || word == "done" || word == "esac") break;
    }
    skip_redirections();
    return out;
  }

  void skip_redirections() {
    do
      skip_blanks();
    while (at_ < text_.size() && redirection());
  }

  // Passes "2>&1", "> file", "<<EOF".
  bool redirection() {
    std::size_t at = at_;
    while (at < text_.size() && ascii::is_digit(text_[at]))
      ++at;
    if (at < text_.size() && text_[at] == '&') ++at;  // "&>"
    if (at == text_.size() || (text_[at] != '<' && text_[at] != '>')) return false;
    const bool here = text_.substr(at).starts_with("<<") && !text_.substr(at).starts_with("<<<");
    at = std::min(text_.find_first_not_of("<>&|-", at), text_.size());
    at_ = at;
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == '(') {  // `>(tee log)`
      skip_brackets();
      return true;
    }
    const auto target = word();
    if (here) here_.push_back(unquoted(target));
    return true;
  }

  void skip_brackets() {
    int open = 0;
    do {
      const char c = text_[at_];
      if (c == '\'' || c == '"') {
        skip_quote();
        continue;
      }
      open += c == '(' ? 1 : c == ')' ? -1 : 0;
      ++at_;
    } while (open > 0 && at_ < text_.size());
  }

  void skip_quote() {
    const char quote = text_[at_++];
    while (at_ < text_.size() && text_[at_] != quote)
      at_ += quote == '"' && text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_ + 1, text_.size());
  }

  std::string_view word() {
    const std::size_t begin = at_;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\'' || c == '"')
        skip_quote();
      else if (c == '\\')
        at_ = std::min(at_ + 2, text_.size());
      else if (c == '(' && at_ > begin)
        skip_brackets();
      else if (ascii::is_space(c) || std::string_view(";|&()<>").find(c) != std::string_view::npos)
        break;
      else
        ++at_;
    }
    if (at_ == begin && at_ < text_.size()) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::vector<std::string> here_;  // delimiters of the here documents that begin on this line
};

}  // namespace

ShellNode read_shell_script(std::string_view line) { return ScriptReader(line).sequence({}, false); }

std::string unquoted(std::string_view word) {
  std::string out;
  char quote = 0;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const char c = word[i];
    if (quote == 0 && (c == '\'' || c == '"'))
      quote = c;
    else if (c == quote)
      quote = 0;
    else if (c == '\\' && quote != '\'' && i + 1 < word.size())
      out += word[++i];
    else
      out += c;
  }
  return out;
}

}  // namespace memd
