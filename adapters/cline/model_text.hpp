#pragma once

#include "schemas/event.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::cline {

// Returns the model's name of a tool, given its name in the user interface messages ("newFileCreated" →
// "write_to_file"). Unknown names are returned unchanged.
std::string_view model_tool_name(std::string_view ui_name);

// Returns whether a call of `model_name` may be shown as `shown` (both are the model's names). The names may differ: an
// existing file may have been written whole or edited.
bool may_show(std::string_view shown, std::string_view model_name);

// Returns whether the model talks to the user with this tool: its calls are shown as messages.
bool is_talk(std::string_view model_name);

std::optional<FileAccess> access_of(std::string_view model_name);

// User text within a text sent to the model under the user role.

struct Words {
  std::string text;      // empty: contains no user text
  bool command = false;  // a slash command
};

// Removes the wrappers ("<task>", "<feedback>", "<user_input>", …) and the client's additions ("<environment_details>",
// "[TASK RESUMPTION]", "[tool for 'x'] Result:", …).
Words human_words(std::string_view text);

// Returns the words of a completed task as the interface shows them, without the mark that follows them if files were
// changed.
std::string_view without_changes_flag(std::string_view shown);

// What a model said in a text between its calls. Models of the time of XML calls write their thinking in the text.
struct Said {
  std::string_view thinking;
  std::string_view talk;  // behind it
};
Said split_thinking(std::string_view text);

// A tool result written as text under a heading: "[read_file for 'x'] Result:".
struct TextResult {
  std::string_view tool;
  std::string_view text;
};
// Finds the next result in `text` from `at` on and moves `at` past it. Returns false when there is none.
bool next_text_result(std::string_view text, std::size_t& at, TextResult& out);

// Returns whether the text of a result reports that the call failed or was denied.
bool tells_failure(std::string_view result);
// Returns the exit code in the result of a command: "Command failed with exit code: 1", "[Command exited with code 1]".
std::optional<std::int32_t> exit_code_in(std::string_view result);

// A tool call written as XML in the text of an answer, as Cline's prompts of 2024 and 2025 asked for:
// "<read_file>\n<path>x</path>\n</read_file>".

struct XmlCall {
  std::string tool;
  std::size_t begin = 0;  // byte offset in the text
  std::size_t end = 0;
  std::string input;  // as a JSON object
  std::string talk;   // for a tool that talks to the user: the message
};

std::vector<XmlCall> xml_calls(std::string_view text);

// Returns the id for an XML call, which has none of its own: the n-th of an item, not counting talk.
std::string xml_call_id(std::string_view item_key, std::size_t n);

}  // namespace memd::cline
