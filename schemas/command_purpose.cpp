#include "schemas/command_purpose.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/word_lists.hpp"
#include "schemas/shell_script.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace memd {
namespace {

using Words = std::span<const std::string_view>;

// The word lists of commands.words. Each enumerator has the name of its list.
enum class Known : std::uint8_t {
  runner,
  launcher,
  carrier,
  carrier_verb,
  shell,
  interpreter,
  test_program,
  test_command,
  test_module,
  script_runner,
  script_verb,
  builder,
  task_runner,
  compiler,
  build_tool,
  compiling_verb,
  answers,
};
constexpr std::array<std::string_view, 17> kKnownNames{
    "runner",       "launcher",     "carrier",     "carrier_verb",   "shell",       "interpreter",
    "test_program", "test_command", "test_module", "script_runner",  "script_verb", "builder",
    "task_runner",  "compiler",     "build_tool",  "compiling_verb", "answers"};

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

bool is_option(std::string_view word) { return word.starts_with('-') || word.starts_with('+'); }

bool is_assignment(std::string_view word) {
  const auto equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0) return false;
  const auto name = word.substr(0, equals);
  return std::all_of(name.begin(), name.end(), ascii::is_word);
}

// The words from the command word on: without assignments, runners and their options.
struct Command {
  Words words;
  bool behind_runner = false;
  bool behind_option = false;  // of a runner, so that the first word may be its value
};

Command command_of(Words words) {
  Command out;
  while (!words.empty()) {
    const auto word = base_name(words[0]);
    const bool number = !word.empty() && ascii::is_digit(word.front());
    std::size_t dropped = 1;
    if (words.size() > 1 && is(Known::launcher, word, words[1])) {
      dropped = 2;
      out.behind_runner = true;
    } else if (is(Known::runner, word)) {
      out.behind_runner = true;
    } else if (!is_assignment(words[0]) && !(out.behind_runner && (is_option(words[0]) || number))) {
      break;
    }
    out.behind_option = out.behind_runner && is_option(words[0]);
    words = words.subspan(dropped);
  }
  out.words = words;
  return out;
}

bool names_tests(std::string_view word) {
  return word == "test" || word == "tests" || word == "check" || word.starts_with("test:") ||
         word.starts_with("test-") || word.starts_with("test_") || word.ends_with(":test") || word.ends_with("-test");
}

// Returns whether a script or a binary has the name of tests: "run_tests.sh", "parser_test", "test_parser.py".
bool is_test_file(std::string_view path) {
  if (path.find_first_of("\"' ") != std::string_view::npos) return false;  // text of a script: python3 -c "…"
  const auto name = base_name(path);
  const auto stem = name.substr(0, name.find('.'));
  constexpr std::array<std::string_view, 4> kEnds{"_test", "-test", "_tests", "-tests"};
  const bool ends = std::any_of(kEnds.begin(), kEnds.end(), [&](auto end) { return stem.ends_with(end); });
  return ends || stem == "test" || stem == "tests" || stem == "runtests" || stem.starts_with("test_") ||
         stem.starts_with("run_tests") || stem.starts_with("run-tests") ||
         name.find(".test.") != std::string_view::npos || name.find(".spec.") != std::string_view::npos ||
         name.ends_with(".t");
}

// Returns the first words that are no options. There are two when the first may be the value of an option: `go -C dir
// test`.
std::vector<std::string_view> verbs_of(Words words) {
  std::vector<std::string_view> out;
  for (std::size_t i = 1; i < words.size() && out.size() < 2; ++i) {
    if (is_option(words[i])) continue;
    out.push_back(words[i]);
    const bool may_be_value = is_option(words[i - 1]) && words[i - 1].find('=') == std::string_view::npos;
    if (!may_be_value) break;
  }
  return out;
}

// Of npm and the like: "test", "run test:unit", "--filter web test", "workspace web test".
bool script_tests(Words words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (is_option(words[i]) || is(Known::script_verb, words[i])) continue;
    if (names_tests(words[i])) return words[i] != "check" || is(Known::script_verb, words[i - 1]);
    const bool may_be_value = is_option(words[i - 1]) || words[i - 1] == "workspace";
    if (!may_be_value) return false;
  }
  return false;
}

bool command_tests(Words words) {
  const auto program = base_name(words.front());
  const auto verbs = verbs_of(words);
  const auto verb = verbs.empty() ? std::string_view() : verbs.front();
  const auto behind = [&](const auto& matches) { return std::any_of(words.begin() + 1, words.end(), matches); };
  if (is(Known::test_program, program)) return true;
  if (std::any_of(verbs.begin(), verbs.end(), [&](auto v) { return is(Known::test_command, program, v); })) return true;
  if (is(Known::script_runner, program)) return script_tests(words);
  if (is(Known::builder, program))
    return behind([](auto w) { return names_tests(w) || w == "verify" || w.ends_with(":test"); });
  if (is(Known::task_runner, program) &&
      behind([](auto w) { return w == "test" || w == "spec" || w.starts_with("test:"); }))
    return true;
  if (program == "node" && behind([](auto w) { return w == "--test"; })) return true;
  if (is(Known::interpreter, program) || program.starts_with("python3.")) {
    for (std::size_t i = 1; i + 1 < words.size(); ++i)
      if (words[i] == "-m" && is(Known::test_module, words[i + 1])) return true;
    const bool script_with_verb = verb.ends_with("manage.py") || verb.ends_with("setup.py");
    return std::any_of(verbs.begin(), verbs.end(), is_test_file) ||
           (script_with_verb && behind([](auto w) { return w == "test"; }));
  }
  if (program == "zig") return verb == "build" && words.back() == "test";
  return words.front().find('/') != std::string_view::npos && is_test_file(words.front());
}

// `uv run --extra dev pytest`: "dev" is the value of an option.
bool tests_behind_values(const Command& command) {
  bool behind_option = command.behind_option;
  for (std::size_t i = 0; i < command.words.size() && command.behind_runner; ++i) {
    if (is_option(command.words[i])) {
      behind_option = true;
      continue;
    }
    if (command_tests(command.words.subspan(i))) return true;
    if (!std::exchange(behind_option, false)) break;
  }
  return false;
}

// `docker exec -w /src web pytest`, but not `docker run org/parser-tests`.
bool carries_tests(Words words) {
  if (!is(Known::carrier, base_name(words[0]))) return false;
  bool begun = false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (is(Known::carrier_verb, words[i])) {
      begun = true;
      continue;
    }
    const bool value = is_option(words[i - 1]) && !is(Known::carrier_verb, words[i - 1]);
    const bool image = words[i].find('/') != std::string_view::npos && !words[i].starts_with('.');
    if (begun && !is_option(words[i]) && !value && !image && command_tests(words.subspan(i))) return true;
  }
  return false;
}

bool command_builds(Words words) {
  const auto program = base_name(words.front());
  const auto verbs = verbs_of(words);
  if (is(Known::compiler, program)) return verbs.empty() || verbs.front() != "clean";
  if (program == "cmake") return std::find(words.begin(), words.end(), "--build") != words.end();
  if (!is(Known::build_tool, program)) return false;
  const bool compiles = program == "cargo" || program.starts_with("mvn") || program.starts_with("gradle");
  return std::any_of(words.begin() + 1, words.end(), [&](std::string_view word) {
    if (word == "build" || word == "compile" || word.starts_with("build:") || word.ends_with(":build")) return true;
    return compiles && is(Known::compiling_verb, word);
  });
}

}  // namespace

CommandPurpose purpose_of(std::string_view line) { return purpose_of(read_shell_script(line)); }

CommandPurpose purpose_of(const ShellNode& node) {
  if (node.kind == ShellNode::Kind::command) {
    const std::string script = script_within(node.words);
    return script.empty() ? purpose_of(Words(node.words)) : purpose_of(std::string_view(script));
  }
  CommandPurpose purpose = CommandPurpose::other;
  for (const ShellNode& part : node.parts) {
    const CommandPurpose of_part = purpose_of(part);
    if (of_part == CommandPurpose::test) return of_part;
    if (of_part == CommandPurpose::build) purpose = of_part;
  }
  return purpose;
}

CommandPurpose purpose_of(std::span<const std::string_view> words) {
  const Command command = command_of(words);
  if (command.words.empty()) return CommandPurpose::other;
  if (command_tests(command.words) || tests_behind_values(command) || carries_tests(command.words))
    return CommandPurpose::test;
  return command_builds(command.words) ? CommandPurpose::build : CommandPurpose::other;
}

std::string script_within(std::span<const std::string_view> words) {
  words = command_of(words).words;
  if (words.size() < 2) return {};
  const bool carries = is(Known::carrier, base_name(words[0]));
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (i > 0 && !carries) break;
    if (!is(Known::shell, base_name(words[i]))) continue;
    for (std::size_t option = i + 1; option + 1 < words.size(); ++option) {
      const bool named = option > i + 1 && words[option - 1].ends_with('o');  // "-o pipefail"
      if (!words[option].starts_with('-') && !named) break;
      if (words[option].starts_with('-') && words[option].ends_with('c') && !words[option].starts_with("--"))
        return unquoted(words[option + 1]);
    }
  }
  const auto last = words.back();
  const bool quoted = last.starts_with('"') || last.starts_with('\'');
  return carries && quoted && last.find(' ') != std::string_view::npos ? unquoted(last) : std::string();
}

bool answers_by_status(std::span<const std::string_view> words) {
  return !words.empty() && is(Known::answers, base_name(words.front()));
}

}  // namespace memd
