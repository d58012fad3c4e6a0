#pragma once

#include "adapters/json/json_access.hpp"
#include "adapters/json/json_text.hpp"
#include "adapters/json/record_builder.hpp"
#include "adapters/names.hpp"
#include "schemas/event.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace memd::tool_calls {

inline constexpr std::size_t kSearchTextLimit = 1500;

// Returns the access of a tool to the file named in its input. nullopt: none, or the input names no file.
using AccessOf = std::function<std::optional<FileAccess>(std::string_view tool)>;

// The tools of an agent by their access, for AccessOf.
struct ToolAccess {
  Names read;
  Names modified;
  Names referenced;

  constexpr std::optional<FileAccess> operator()(std::string_view tool) const {
    if (read.has(tool)) return FileAccess::read;
    if (modified.has(tool)) return FileAccess::modified;
    if (referenced.has(tool)) return FileAccess::referenced;
    return std::nullopt;
  }
};

// Returns whether a tool runs command lines: Bash, shell, exec_command, run_terminal_cmd, …
bool runs_commands(std::string_view tool);

// Returns the command line of an argument list: ["bash", "-lc", "make test"] is "make test".
std::string command_line_of(json::TextReader& reader, json::od::array& arguments);

// Adds a command line that the call runs, and sets is_test when it runs tests. `directory`: its working directory, if
// the call states one.
void add_command(Event& call, std::string_view line, std::string_view directory = {});

// Sets the fields of a tool call from its input: summary, search_text, input_hash, files, is_test, facts. With
// Detail::full, sets text instead of facts: the whole input in readable form. `call.tool` and `call.cwd` must be set.
// Supports the argument names of all agents ("command", "cmd", "file_path", "target_file", …). `input` may be any
// value; returns false only for broken JSON.
bool read_tool_input(json::TextReader& reader, json::od::value& input, const AccessOf& access_of, Event& call);

// Adds what an edit changes, as its input shows it, or the input under `key` of `object`: the files of a patch, and
// lines.
void add_edits(std::string_view input, Event& call);
void add_edits(json::od::object& object, std::string_view key, Event& call);

// Adds a call with the input under `key` of `object`, if it has one, and what it changes if it is an edit. The input is
// a JSON value, or JSON in a string. Returns false only for broken JSON.
bool add_call(json::RecordBuilder& record, std::string tool, std::string id, json::od::object& object,
              std::string_view key, const AccessOf& access_of);

// Returns the absolute path of one that may be relative to the working directory.
std::string absolute_path(std::string_view cwd, std::string_view path);

// Like read_tool_input() for input stored as text in the record: JSON in a string, as Codex and Cursor write it. Input
// that is no JSON object is read as plain text (a patch, a script).
void read_tool_input_text(json::TextReader& reader, std::string_view input, const AccessOf& access_of, Event& call);

}  // namespace memd::tool_calls
