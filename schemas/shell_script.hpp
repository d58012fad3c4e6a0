#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Structure of a shell command line, as far as it decides whose exit status the line has. Pure; thread-safe.
namespace memd {

struct ShellNode {
  enum class Kind : std::uint8_t {
    command,   // program and arguments; no parts
    pipeline,  // the parts are joined by `|`
    chain,     // the parts are joined by `&&` and `||`, from left to right
    sequence,  // the parts follow one another: `;`, `&` or a line break
    group,     // one part: the sequence in `( … )`, `{ … }` or `name=$( … )`
    branch,    // `if`: the sequences of the condition and of its branches, in order
    loop,      // `for`, `while`, `case`: the sequences inside, in order
  };
  // What stands in front of a part, or `background` behind it. plain: nothing, or the `|` of a pipeline.
  enum class Joint : std::uint8_t { plain, and_then, or_else };

  Kind kind = Kind::command;
  Joint joint = Joint::plain;  // of a part of a chain
  bool negated = false;        // of a pipeline: `! …`
  bool in_background = false;  // of a part of a sequence: `… &`
  std::vector<ShellNode> parts;
  std::vector<std::string_view> words;  // of a command, with their quotes, without redirections; parts of the line
};

// Reads a POSIX command line; what is not understood becomes words. Texts of here documents and comments are left out.
// The root is a sequence. Its words are parts of `line`.
ShellNode read_shell_script(std::string_view line);

// Removes the quotes and backslashes of a word: `"EXIT=$?"` → `EXIT=$?`. Variables stay as they are written.
std::string unquoted(std::string_view word);

}  // namespace memd
