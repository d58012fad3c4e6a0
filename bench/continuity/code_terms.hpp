#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

// What in a text is taken for code, and whether a text names it. ASCII only; all rules are stated in
// docs/benchmark-details.md.
namespace memd::bench {

using Terms = std::set<std::string>;

// camelCase, snake_case, dotted and :: names, --flags, VARIABLES, error codes (TS2345, ENOENT), ports (":8080",
// "port 8080" give "8080"). No hashes, ids, plain words and names of files.
void add_identifiers(std::string_view text, Terms& out);

// What looks like the path of a file: with a '/' and an extension, no pattern.
void add_paths(std::string_view text, Terms& out);

// "go test", "npm run", "ls": the program of each part of a command line, with the subcommand where the program has
// such. Assignments, cd, echo and words of the shell are no programs.
Terms command_heads(std::string_view command);

// The whole line, one blank between words, without a leading `cd … &&`.
std::string normal_command(std::string_view command);

// `term` in `text`, not as a part of a longer word.
bool names(std::string_view text, std::string_view term);
// `head` in `text` where a command can stand: at the start of a line, after a quote, a separator or an opening mark. A
// head of two words may stand anywhere: it is no prose.
bool names_command(std::string_view text, std::string_view head);

}  // namespace memd::bench
