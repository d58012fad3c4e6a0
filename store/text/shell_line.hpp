#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// Command lines as agents write them. Not a shell's parser: quotes and separators are understood, the rest is words.
namespace memd::continuity {

// Without a leading `cd … &&`: where it ran is told apart. Blanks are single; a line break becomes one, or stays with
// the indentation behind it, for a script on one line is another script.
enum class LineBreaks { become_blanks, stay };
std::string tidy_command(std::string_view command, LineBreaks breaks = LineBreaks::become_blanks);

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

}  // namespace memd::continuity
