#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

// The rules that classify parts of a text as code, and that decide whether a text names them. ASCII only;
// docs/benchmark-details.md states all rules.
namespace memd::bench {

using Terms = std::set<std::string>;

// Adds identifiers: camelCase, snake_case, dotted and :: names, --flags, VARIABLES, error codes (TS2345, ENOENT), ports
// (":8080" and "port 8080" give "8080"). Leaves out hashes, ids, plain words and file names.
void add_identifiers(std::string_view text, Terms& out);

// Adds texts that look like file paths: with a '/' and an extension, and not a pattern.
void add_paths(std::string_view text, Terms& out);

// Returns the program of each part of a command line, with the subcommand where the program has any: "go test", "npm
// run", "ls". Assignments, cd, echo and words of the shell are not programs.
Terms command_heads(std::string_view command);

// Returns the whole line with one blank between words, without a leading `cd … &&`.
std::string normal_command(std::string_view command);

// Whether `text` contains `term` other than as a part of a longer word.
bool names(std::string_view text, std::string_view term);
// Whether `text` contains `head` where a command can stand: at the start of a line, after a quote, a separator or an
// opening mark. A head of two words may stand anywhere, because prose does not contain it.
bool names_command(std::string_view text, std::string_view head);

}  // namespace memd::bench
