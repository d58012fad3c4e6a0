#include "adapters/tool_calls/command_purpose.hpp"

#include "schemas/ascii.hpp"
#include "schemas/word_lists.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace memd::tool_calls {
namespace {

using Words = std::vector<std::string_view>;

// The word lists of commands.words. Each enumerator has the name of its list.
enum class Known : std::uint8_t {
  runner,
  launcher,
  test_program,
  test_command,
  test_module,
  script_runner,
  builder,
  task_runner,
  compiler,
  build_tool,
  compiling_verb,
};
constexpr std::array<std::string_view, 11> kKnownNames{"runner",      "launcher",      "test_program",  "test_command",
                                                       "test_module", "script_runner", "builder",       "task_runner",
                                                       "compiler",    "build_tool",    "compiling_verb"};

bool is(Known as, std::string_view words) {
  static const std::vector<WordList> kLists = read_word_lists(embedded::command_word_files(), kKnownNames);
  return kLists[static_cast<std::size_t>(as)].has(words);
}

// Checks a two-word command.
bool is(Known as, std::string_view program, std::string_view verb) {
  return is(as, std::string(program).append(" ").append(verb));
}

std::string_view base_name(std::string_view word) {
  const auto slash = word.rfind('/');
  return slash == std::string_view::npos ? word : word.substr(slash + 1);
}

bool is_assignment(std::string_view word) {
  const auto equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0) return false;
  const auto name = word.substr(0, equals);
  return std::all_of(name.begin(), name.end(), ascii::is_word);
}

// Removes the words before the command word: assignments, runners and their options.
void drop_prefix(Words& words) {
  std::size_t at = 0;
  bool behind_runner = false;
  while (at < words.size()) {
    const auto word = base_name(words[at]);
    const bool number = !word.empty() && ascii::is_digit(word.front());
    if (at + 1 < words.size() && is(Known::launcher, word, words[at + 1])) {
      at += 2;
      behind_runner = true;
    } else if (is(Known::runner, word)) {
      ++at;
      behind_runner = true;
    } else if (is_assignment(words[at]) || words[at] == "(" || words[at] == "{" || words[at] == "!") {
      ++at;
    } else if (behind_runner && (words[at].starts_with('-') || number)) {
      ++at;
    } else {
      break;
    }
  }
  words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(at));
}

bool names_tests(std::string_view word) {
  return word == "test" || word == "tests" || word == "check" || word.starts_with("test:") ||
         word.starts_with("test-") || word.starts_with("test_") || word.ends_with(":test") || word.ends_with("-test");
}

// Returns the first word after the program that is no option.
std::string_view verb_of(const Words& words, std::size_t from = 1) {
  for (std::size_t i = from; i < words.size(); ++i)
    if (!words[i].starts_with('-') && !words[i].starts_with('+')) return words[i];
  return {};
}

// Returns whether a command runs tests. `words`: from the command word on.
bool command_runs_tests(const Words& words) {
  const auto program = base_name(words.front());
  const auto verb = verb_of(words);
  if (is(Known::test_program, program) || is(Known::test_command, program, verb)) return true;
  if (is(Known::script_runner, program))
    return names_tests(
               verb == "run" || verb == "run-script"
                   ? verb_of(words,
                             static_cast<std::size_t>(std::find(words.begin(), words.end(), verb) - words.begin()) + 1)
                   : verb) &&
           verb != "check";
  if (is(Known::builder, program))
    return std::any_of(words.begin() + 1, words.end(),
                       [](auto w) { return names_tests(w) || w == "verify" || w.ends_with(":test"); });
  if ((program.starts_with("python") || program == "py") && words.size() > 2 && words[1] == "-m")
    return is(Known::test_module, words[2]);
  if (is(Known::task_runner, program))
    return std::any_of(words.begin() + 1, words.end(),
                       [](auto w) { return w == "test" || w == "spec" || w.starts_with("test:"); });
  if (program == "node") return std::find(words.begin(), words.end(), "--test") != words.end();
  return program == "zig" && verb == "build" && words.back() == "test";
}

// Returns whether a command that runs no tests builds.
bool command_builds(const Words& words) {
  const auto program = base_name(words.front());
  if (is(Known::compiler, program)) return verb_of(words) != "clean";
  if (program == "cmake") return std::find(words.begin(), words.end(), "--build") != words.end();
  if (!is(Known::build_tool, program)) return false;
  const bool compiles = program == "cargo" || program.starts_with("mvn") || program.starts_with("gradle");
  return std::any_of(words.begin() + 1, words.end(), [&](std::string_view word) {
    if (word == "build" || word == "compile" || word.starts_with("build:") || word.ends_with(":build")) return true;
    return compiles && is(Known::compiling_verb, word);
  });
}

}  // namespace

CommandPurpose purpose_of(std::string_view command) {
  CommandPurpose purpose = CommandPurpose::other;
  Words words;
  std::size_t start = std::string_view::npos;
  char quote = 0;
  const auto end_word = [&](std::size_t at) {
    if (start != std::string_view::npos) words.push_back(command.substr(start, at - start));
    start = std::string_view::npos;
  };
  for (std::size_t i = 0; i <= command.size(); ++i) {
    if (quote != 0) {
      i = std::min(command.find(quote, i), command.size());
      quote = 0;
      if (i < command.size()) continue;
    }
    const char c = i < command.size() ? command[i] : '\n';
    const bool separator = c == '\n' || c == ';' || c == '|' || c == '&';
    // "2>&1" is one word, not the end of a command.
    const bool redirection =
        c == '&' && i > 0 && (command[i - 1] == '>' || (i + 1 < command.size() && command[i + 1] == '>'));
    if (separator && !redirection) {
      end_word(i);
      drop_prefix(words);
      if (!words.empty() && command_runs_tests(words)) return CommandPurpose::test;
      if (!words.empty() && command_builds(words)) purpose = CommandPurpose::build;
      words.clear();
    } else if (c == ' ' || c == '\t' || c == '(' || c == ')') {
      end_word(i);
    } else {
      if (c == '\'' || c == '"') quote = c;
      if (start == std::string_view::npos) start = i;
      while (quote == 0 && i + 1 < command.size() && ascii::is_alnum(command[i + 1]))
        ++i;
    }
  }
  return purpose;
}

}  // namespace memd::tool_calls
