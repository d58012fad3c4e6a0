#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// Command lines as agents write them. Not a shell's parser: quotes and separators are understood, the rest is words.
namespace memd::continuity {

// Whether a tool runs command lines: Bash, shell, exec_command, run_terminal_cmd, …
bool runs_commands(std::string_view tool);

// The line on one line, without a leading `cd … &&`: where it ran is told apart.
std::string tidy_command(std::string_view command);

// Of `cat <<'EOF' > notes.md …` what stands before the text: "cat <<'EOF' > notes.md". The line itself without one.
std::string_view without_here_text(std::string_view line);

// The first `;`, `|`, `&&` or line break outside of quotes at `from`, itself outside of them, or behind it; npos.
std::size_t next_separator(std::string_view line, std::size_t from);

// "go test ./... 2>&1 | tail -5; echo $?" → "go test ./...": without what only shows less of the output, or tells how
// it ended.
std::string_view without_pipe_end(std::string_view line);

// What it runs: "go test", "npm run", "ls", each once, in order. Programs that are told by their first argument come
// with it. Words of the shell, cd and echo are left out.
std::vector<std::string> command_heads(std::string_view command);

// What a shell is called with: of `["bash","-lc","go test"]` its last string, of another list its strings in a row; of
// what is no list, itself.
std::string without_argv(std::string_view command);

// A script over an agent's own tools (`const r = await tools.…`), no shell's line.
bool is_tool_script(std::string_view line);

// The command in the readable form of a call's input ("command: …\ndescription: …"); empty: there is none.
std::string_view command_of_input(std::string_view input);

// The JSON string that begins with the quote at `at`, with blanks for line breaks and tabs; `at` moves behind its end.
// As far as it goes where it is cut. Half of a surrogate pair is U+FFFD.
std::string read_quoted(std::string_view text, std::size_t& at);

}  // namespace memd::continuity
