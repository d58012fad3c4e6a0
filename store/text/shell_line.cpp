#include "store/text/shell_line.hpp"

#include "schemas/base/ascii.hpp"
#include "store/text/words.hpp"

#include <algorithm>
#include <array>

namespace memd::continuity {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

bool is_name(std::string_view word, std::string_view also) {
  return !word.empty() && ascii::is_alnum(word.front()) && std::all_of(word.begin(), word.end(), [&](char c) {
    return ascii::is_alnum(c) || also.find(c) != std::string_view::npos;
  });
}

bool is_assignment(std::string_view word) {
  const auto equals = word.find('=');
  return equals != std::string_view::npos && equals > 0 &&
         std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals), ascii::is_word);
}

std::string_view next_word(std::string_view& rest) {
  const auto begin = rest.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return rest = {};
  rest.remove_prefix(begin);
  const std::string_view word = rest.substr(0, rest.find_first_of(kBlanks));
  rest.remove_prefix(word.size());
  return word;
}

// "go test 2>&1 |" → "go test": removes trailing blanks, the bar of an "or" and redirections of stderr.
std::string_view without_redirection(std::string_view line) {
  constexpr std::array<std::string_view, 4> kEnds{" 2>&1", " 2>/dev/null", " 2> /dev/null", "|"};
  for (bool more = true; more;) {
    more = false;
    if (const auto last = line.find_last_not_of(kBlanks); last + 1 < line.size())
      line = line.substr(0, last + 1), more = true;
    for (const std::string_view end : kEnds)
      if (line.ends_with(end)) line.remove_suffix(end.size()), more = true;
  }
  return line;
}

void add_head(std::string_view part, std::vector<std::string>& out) {
  std::string_view word = next_word(part);
  while (!word.empty() && (is_assignment(word) || word == "sudo" || word == "env" || word == "time" || word == "(" ||
                           word == "{" || word == "&"))
    word = next_word(part);
  const std::string_view program = word.substr(word.rfind('/') + 1);
  if (!is_name(program, "_-+.") || words(WordClass::no_program).has(program)) return;
  std::string head(program);
  if (words(WordClass::subcommand).has(program)) {
    std::string_view argument = next_word(part);
    while (argument.starts_with('-')) {
      if (argument == "-C" || (argument == "-c" && program == "git")) next_word(part);  // its argument
      argument = next_word(part);
    }
    if (is_name(argument, "_-+.:")) head.append(" ").append(argument);
  }
  if (std::find(out.begin(), out.end(), head) == out.end()) out.push_back(std::move(head));
}

}  // namespace

std::string tidy_command(std::string_view command, LineBreaks breaks) {
  std::string out;
  out.reserve(command.size());
  for (std::size_t i = 0; i < command.size();) {
    const std::size_t end = std::min(command.find_first_not_of(kBlanks, i), command.size());
    const std::string_view blanks = command.substr(i, end - i);
    if (blanks.empty()) {
      out += command[i++];
      continue;
    }
    i = end;
    if (out.empty() || end == command.size()) continue;
    const auto last_break = blanks.rfind('\n');
    if (breaks == LineBreaks::stay && last_break != std::string_view::npos)
      out += blanks.substr(last_break);
    else
      out += ' ';
  }
  while (out.starts_with("cd ")) {
    const auto and_then = out.find("&&");
    if (and_then == std::string::npos) break;
    const auto next = out.find_first_not_of(kBlanks, and_then + 2);
    if (next == std::string::npos || next == and_then + 2) break;
    out.erase(0, next);
  }
  return out;
}

std::string_view without_here_text(std::string_view line) {
  const auto at = line.find("<<");
  if (at == std::string_view::npos) return line;
  std::string_view rest = line.substr(at);
  const auto so_far = [&] { return line.substr(0, line.size() - rest.size()); };
  next_word(rest);
  if (so_far().ends_with("<<")) next_word(rest);  // the delimiter is a separate word
  std::string_view behind = rest;
  const std::string_view redirection = next_word(behind);
  if (!redirection.starts_with('>')) return so_far();
  rest = behind;
  if (redirection == ">" || redirection == ">>") next_word(rest);
  return so_far();
}

std::size_t next_separator(std::string_view line, std::size_t from) {
  char quote = 0;
  for (std::size_t i = from; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == ';' || c == '|' || c == '\n' || (c == '&' && line.substr(i + 1, 1) == "&")) {
      return i;
    }
  }
  return std::string_view::npos;
}

std::vector<std::string> command_heads(std::string_view command) {
  std::vector<std::string> out;
  command = command.substr(0, command.find("<<"));  // the rest is the text of a here-document
  for (std::size_t begin = 0; begin <= command.size();) {
    const std::size_t end = std::min(next_separator(command, begin), command.size());
    add_head(command.substr(begin, end - begin), out);
    begin = end + 1;
  }
  return out;
}

bool runs_commit(std::string_view line) {
  constexpr std::string_view kCommit = "git commit";
  constexpr std::string_view kSeparators = "\n;&|(";
  const auto heads = command_heads(line);
  if (std::ranges::find(heads, kCommit) != heads.end()) return true;
  for (auto at = line.find(kCommit); at != std::string_view::npos; at = line.find(kCommit, at + 1)) {
    const auto before = line.substr(0, at).find_last_not_of(' ');
    if (before != std::string_view::npos && kSeparators.find(line[before]) != std::string_view::npos) return true;
  }
  return false;
}

std::string_view without_pipe_end(std::string_view line) {
  while (true) {
    line = without_redirection(line);
    std::size_t last = std::string_view::npos;
    for (auto at = next_separator(line, 0); at != std::string_view::npos; at = next_separator(line, at + 1))
      last = at;
    if (last == std::string_view::npos) return line;
    std::string_view rest = line.substr(last + (line[last] == '&' ? 2 : 1));
    const bool piped = line[last] == '|' && (last == 0 || line[last - 1] != '|');
    const std::string_view program = next_word(rest);
    const bool goes = piped ? words(WordClass::output_filter).has(program)
                            : program.empty() || words(WordClass::tells_end).has(program);
    if (!goes) return line;
    line = line.substr(0, last);
  }
}

}  // namespace memd::continuity
