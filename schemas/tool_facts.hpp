#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Facts of tool calls and results beyond their text. Value types. Enumerators are stored: append, never renumber.
namespace memd {

enum class CommandPurpose : std::uint8_t { other = 0, test = 1, build = 2 };
std::string_view to_string(CommandPurpose p);

inline constexpr std::size_t kCommandLineLimit = 4096;  // bytes of a command line that are kept

// A command line that a call runs.
struct ShellCommand {
  std::string line;       // as the agent wrote it, at most kCommandLineLimit bytes
  std::string directory;  // where it runs, when the call says so; empty: where the session is
  CommandPurpose purpose = CommandPurpose::other;
  bool is_whole = true;  // false: the line was longer
  bool in_background = false;
  bool operator==(const ShellCommand&) const = default;
};

// Result of a command. unknown: the command line hides the exit code, and the output does not show the result.
enum class RunOutcome : std::uint8_t { unknown = 0, passed = 1, failed = 2 };
std::string_view to_string(RunOutcome o);

// unstated: the update leaves the state unchanged.
enum class TodoState : std::uint8_t { unstated = 0, pending = 1, in_progress = 2, done = 3, dropped = 4 };
std::string_view to_string(TodoState s);

inline constexpr std::size_t kMostTodoItems = 100;  // of one call
inline constexpr std::size_t kTodoTextLimit = 300;  // bytes of an item's text

// An entry of the list of tasks that an agent keeps with a tool.
struct TodoItem {
  std::string key;   // identifies it in updates; empty where the agent gives none
  std::string text;  // empty in an update: the item keeps its text
  TodoState state = TodoState::pending;
  bool operator==(const TodoItem&) const = default;
};

// Change that a call makes to the to-do list.
struct TodoUpdate {
  bool replaces =
      true;  // `items` is the new list, even if empty; false: items with a known key are updated, others added
  std::vector<TodoItem> items;
  bool operator==(const TodoUpdate&) const = default;
};

// Facts of a call: its commands, and its change to the to-do list. Facts of a result: the outcome of the command, and
// the change made to the list.
struct ToolFacts {
  std::vector<ShellCommand> commands;
  std::optional<TodoUpdate> todos;
  std::optional<std::int32_t> exit_code;  // nullopt: not known
  std::optional<RunOutcome> outcome;      // of tests and builds; the assembler's conclusion, no adapter's
  bool empty() const { return commands.empty() && !todos && !exit_code && !outcome; }
  bool operator==(const ToolFacts&) const = default;
};

}  // namespace memd
