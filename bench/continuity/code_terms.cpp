#include "bench/continuity/code_terms.hpp"

#include "schemas/ascii.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace memd::bench {
namespace {

constexpr std::size_t kShortest = 4;
constexpr std::size_t kLongest = 60;

constexpr std::array<std::string_view, 36> kExtensions{
    "go",  "ts",   "tsx",  "js",   "jsx", "mjs", "md",   "json", "jsonl", "py",  "rs", "sh",
    "yml", "yaml", "toml", "txt",  "sql", "css", "html", "cpp",  "hpp",   "c",   "h",  "mod",
    "sum", "log",  "lock", "java", "rb",  "xml", "svg",  "png",  "com",   "org", "io", "dev"};

bool has_extension(std::string_view word) {
  const auto dot = word.rfind('.');
  return dot != std::string_view::npos &&
         std::find(kExtensions.begin(), kExtensions.end(), word.substr(dot + 1)) != kExtensions.end();
}

bool is_hash(std::string_view word) {
  const bool hex =
      std::all_of(word.begin(), word.end(), [](char c) { return ascii::is_hex(c) || c == '-' || c == '_'; });
  return word.starts_with("toolu_") || word.starts_with("msg_0") || (hex && word.size() >= 7);
}

bool is_camel(std::string_view w) {
  bool hump = false;
  for (std::size_t i = 0; i + 1 < w.size(); ++i) {
    if (w[i] == '_') return false;
    hump = hump || ((ascii::is_lower(w[i]) || ascii::is_digit(w[i])) && ascii::is_upper(w[i + 1]));
  }
  return hump;
}

bool is_snake(std::string_view w) {
  const auto first = w.find_first_not_of('_');
  const auto last = w.find_last_not_of('_');
  return first != std::string_view::npos && w.substr(first, last - first).find('_') != std::string_view::npos;
}

// TS2345, E1234, ENOENT
bool is_error_code(std::string_view w) {
  std::size_t upper = 0;
  while (upper < w.size() && ascii::is_upper(w[upper]))
    ++upper;
  if (upper == w.size()) return w.front() == 'E' && w.size() >= 5 && w.size() <= 12;
  const bool digits = std::all_of(w.begin() + static_cast<std::ptrdiff_t>(upper), w.end(), ascii::is_digit);
  return digits && upper >= 1 && upper <= 6 && w.size() - upper >= 2 && w.size() - upper <= 5;
}

bool is_identifier(std::string_view w) {
  if (w.size() < kShortest || w.size() > kLongest || is_hash(w) || has_extension(w)) return false;
  const bool dotted = w.find('.') != std::string_view::npos || w.find(':') != std::string_view::npos;
  // "end.Next" across two sentences is rare; "e.g" has no capital.
  if (dotted) return std::any_of(w.begin(), w.end(), [](char c) { return ascii::is_upper(c) || c == '_'; });
  return is_snake(w) || is_camel(w) || is_error_code(w);
}

std::size_t flag_end(std::string_view text, std::size_t i) {
  std::size_t end = i + 2;
  while (end < text.size() && (ascii::is_word(text[end]) || text[end] == '-'))
    ++end;
  return end;
}

// Returns the end of a name, which may continue over '.' and '::'.
std::size_t name_end(std::string_view text, std::size_t i) {
  while (true) {
    while (i < text.size() && ascii::is_word(text[i]))
      ++i;
    const std::size_t joint = i < text.size() && text[i] == '.' ? 1 : text.substr(i, 2) == "::" ? 2 : 0;
    if (joint == 0 || i + joint >= text.size() || !(ascii::is_letter(text[i + joint]) || text[i + joint] == '_'))
      return i;
    i += joint;
  }
}

void add_port(std::string_view text, std::size_t i, Terms& out) {
  std::size_t end = i;
  while (end < text.size() && ascii::is_digit(text[end]))
    ++end;
  const std::string_view before = text.substr(0, i);
  const bool after_colon = before.ends_with("localhost:") || before.ends_with(" :") || before.ends_with("0.1:");
  const bool after_word = before.ends_with("port ") || before.ends_with("PORT=") || before.ends_with("--port=");
  if (end - i >= 4 && end - i <= 5 && (after_colon || after_word)) out.emplace(text.substr(i, end - i));
}

}  // namespace

void add_identifiers(std::string_view text, Terms& out) {
  for (std::size_t i = 0; i < text.size();) {
    const bool inside = i > 0 && (ascii::is_word(text[i - 1]) || text[i - 1] == '-');
    if (!inside && text.substr(i, 2) == "--" && i + 2 < text.size() && ascii::is_letter(text[i + 2])) {
      const std::size_t end = flag_end(text, i);
      if (end - i >= kShortest && end - i <= kLongest) out.emplace(text.substr(i, end - i));
      i = end;
    } else if (ascii::is_letter(text[i]) || text[i] == '_') {
      const std::size_t end = name_end(text, i);
      if (is_identifier(text.substr(i, end - i))) out.emplace(text.substr(i, end - i));
      i = end;
    } else if (ascii::is_digit(text[i])) {
      add_port(text, i, out);
      while (i < text.size() && ascii::is_word(text[i]))
        ++i;
    } else {
      ++i;
    }
  }
}

void add_paths(std::string_view text, Terms& out) {
  constexpr std::string_view kPathMarks = "/._-+@";
  const auto in_path = [&](char c) { return ascii::is_word(c) || kPathMarks.find(c) != std::string_view::npos; };
  for (std::size_t i = 0; i < text.size();) {
    if (!in_path(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && in_path(text[end]))
      ++end;
    const bool pattern = (i > 0 && std::string_view("*?$~{}:").find(text[i - 1]) != std::string_view::npos) ||
                         (end < text.size() && std::string_view("*?{[").find(text[end]) != std::string_view::npos);
    std::string_view path = text.substr(i, end - i);
    i = end;
    while (path.starts_with("./"))
      path.remove_prefix(2);
    while (!path.empty() && (path.back() == '.' || path.back() == '/'))
      path.remove_suffix(1);
    const auto slash = path.rfind('/');
    if (pattern || slash == std::string_view::npos || path.find("//") != std::string_view::npos ||
        path.find("...") != std::string_view::npos)
      continue;
    const auto dot = path.rfind('.');
    const bool extension = dot != std::string_view::npos && dot > slash + 1 && path.size() - dot <= 6 &&
                           path.size() - dot > 1 && ascii::is_letter(path[dot + 1]);
    if (extension) out.emplace(path);
  }
}

bool names(std::string_view text, std::string_view term) {
  if (term.empty()) return false;
  for (auto at = text.find(term); at != std::string_view::npos; at = text.find(term, at + 1)) {
    const std::size_t end = at + term.size();
    const bool joined = (at > 0 && ascii::is_word(text[at - 1]) && ascii::is_word(term.front())) ||
                        (end < text.size() && ascii::is_word(text[end]) && ascii::is_word(term.back()));
    // --dry is not named by --dry-run
    const bool longer_flag = term.starts_with("--") && end < text.size() && text[end] == '-';
    if (!joined && !longer_flag) return true;
  }
  return false;
}

bool names_command(std::string_view text, std::string_view head) {
  if (head.find(' ') != std::string_view::npos) return names(text, head);
  constexpr std::string_view kOpens = "`'\"$|&;(>,:=/";
  for (auto at = text.find(head); at != std::string_view::npos; at = text.find(head, at + 1)) {
    const std::size_t end = at + head.size();
    if (end < text.size() && (ascii::is_word(text[end]) || text[end] == '-' || text[end] == '.')) continue;
    std::size_t before = at;
    while (before > 0 && (text[before - 1] == ' ' || text[before - 1] == '\t'))
      --before;
    if (before == 0 || text[before - 1] == '\n') return true;
    const char c = text[before - 1];
    const bool list_mark =
        (c == '-' || c == '*') && (before < 2 || text[before - 2] == '\n' || text[before - 2] == ' ');
    const bool middle_dot = before >= 2 && text.substr(before - 2, 2) == "·";
    if (list_mark || middle_dot || kOpens.find(c) != std::string_view::npos) return true;
  }
  return false;
}

// Heads and normal forms of command lines.

namespace {

// Programs whose first argument is a subcommand.
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
  command = command.substr(0, command.find("<<"));  // a here-document follows
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
