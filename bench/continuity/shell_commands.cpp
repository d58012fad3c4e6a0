// Heads and normal forms of command lines (code_terms.hpp).
#include "bench/continuity/code_terms.hpp"

#include "schemas/ascii.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace memd::bench {
namespace {

// Their first argument says what they do.
constexpr std::array<std::string_view, 30> kWithSubcommand{
    "git",     "go",     "npm",     "npx",  "pnpm", "yarn",      "cargo",     "make",   "gh",   "docker",
    "kubectl", "python", "python3", "node", "mise", "bun",       "uv",        "pip",    "brew", "dotnet",
    "task",    "just",   "poetry",  "helm", "aws",  "terraform", "systemctl", "entire", "deno", "composer"};

constexpr std::array<std::string_view, 18> kNoProgram{"cd",   "echo", "done",  "do",     "then",   "fi",
                                                      "if",   "for",  "while", "true",   "false",  "EOF",
                                                      "else", "esac", "exit",  "export", "printf", "set"};

template <std::size_t N>
bool is_in(const std::array<std::string_view, N>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n", i);
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(text.find_first_of(" \t\r\n", begin), text.size());
    out.push_back(text.substr(begin, end - begin));
    i = end;
  }
  return out;
}

bool is_name(std::string_view word, std::string_view also) {
  return !word.empty() && ascii::is_alnum(word.front()) && std::all_of(word.begin(), word.end(), [&](char c) {
    return ascii::is_alnum(c) || also.find(c) != std::string_view::npos;
  });
}

bool is_assignment(std::string_view word) {
  const auto equals = word.find('=');
  return equals != std::string_view::npos && equals > 0 && is_name(word.substr(0, equals), "_");
}

void add_head(std::string_view part, Terms& out) {
  auto words = words_of(part);
  std::size_t i = 0;
  while (i < words.size() && (is_assignment(words[i]) || words[i] == "sudo" || words[i] == "env" ||
                              words[i] == "time" || words[i] == "(" || words[i] == "{" || words[i] == "&"))
    ++i;
  if (i == words.size()) return;
  const std::string_view program = words[i].substr(words[i].rfind('/') + 1);
  if (!is_name(program, "_-+.") || is_in(kNoProgram, program)) return;
  std::string head(program);
  if (is_in(kWithSubcommand, program)) {
    const auto sub = std::find_if(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end(),
                                  [](std::string_view w) { return !w.starts_with('-'); });
    if (sub != words.end() && is_name(*sub, "_-+.:")) head.append(" ").append(*sub);
  }
  out.insert(std::move(head));
}

}  // namespace

Terms command_heads(std::string_view command) {
  Terms out;
  command = command.substr(0, command.find("<<"));  // what follows is text
  char quote = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= command.size(); ++i) {
    const char c = i < command.size() ? command[i] : '\n';
    if (i == command.size()) quote = 0;
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == ';' || c == '|' || c == '\n' || (c == '&' && (i + 1 >= command.size() || command[i + 1] == '&'))) {
      add_head(command.substr(begin, i - begin), out);
      begin = i + 1;
    }
  }
  return out;
}

std::string normal_command(std::string_view command) {
  std::string out = ascii::one_line(command);
  while (out.starts_with("cd ")) {
    const auto end = out.find("&& ");
    if (end == std::string::npos) break;
    out.erase(0, end + 3);
  }
  return out;
}

}  // namespace memd::bench
