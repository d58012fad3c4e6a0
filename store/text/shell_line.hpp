#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// Command lines as agents write them. Not a shell parser: handles quotes and separators, and treats the rest as words.
namespace memd::continuity {

// Removes a leading `cd … &&`, because the directory is stored separately. Collapses blanks. A line break becomes a
// blank, or stays with its indentation, because a script means something else on one line.
enum class LineBreaks { become_blanks, stay };
std::string tidy_command(std::string_view command, LineBreaks breaks = LineBreaks::become_blanks);

// Returns the part before a here-document: of `cat <<'EOF' > notes.md …`, "cat <<'EOF' > notes.md". Returns the line
// itself if there is none.
std::string_view without_here_text(std::string_view line);

// Returns the first `;`, `|`, `&&` or line break outside quotes at or after `from`, which must itself be outside
// quotes; npos if there is none.
std::size_t next_separator(std::string_view line, std::size_t from);

// Removes trailing parts that only filter the output or print the exit status: "go test ./... 2>&1 | tail -5; echo $?"
// → "go test ./...".
std::string_view without_pipe_end(std::string_view line);

// Returns the programs that a command runs: "go test", "npm run", "ls", each once, in order. Adds the first argument
// for programs with subcommands. Skips shell keywords, cd and echo.
std::vector<std::string> command_heads(std::string_view command);

// Returns whether the line runs `git commit`. The words must start a command, not stand in the arguments of another:
// `grep "git commit" notes.md`. Text after a here document counts too.
bool runs_commit(std::string_view line);

}  // namespace memd::continuity
