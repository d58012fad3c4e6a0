#pragma once

#include "schemas/event.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::cline {

// The name by which the model calls a tool, from its name in the messages for the user interface
// ("newFileCreated" → "write_to_file"). Unknown names stay.
std::string_view model_tool_name(std::string_view ui_name);

// Whether a call of `model_name` may be shown as `shown` (both are the model's names). The names may differ: a file
// that exists may have been written whole or edited.
bool may_show(std::string_view shown, std::string_view model_name);

// Whether the tool is one by which the model talks to the user: its calls are shown as messages.
bool is_talk(std::string_view model_name);

std::optional<FileAccess> access_of(std::string_view model_name);

// What a person said in a text that is sent to the model under the user's name.

struct Words {
  std::string text;      // empty: nobody's words
  bool command = false;  // a slash command
};

// Takes off the wrappers ("<task>", "<feedback>", "<user_input>", …) and drops what the client adds
// ("<environment_details>", "[TASK RESUMPTION]", "[tool for 'x'] Result:", …).
Words human_words(std::string_view text);

// A result of a tool that stands as text under a heading: "[read_file for 'x'] Result:".
struct TextResult {
  std::string_view tool;
  std::string_view text;
};
// Finds the next result in `text` from `at` on and moves `at` behind it. False when there is none.
bool next_text_result(std::string_view text, std::size_t& at, TextResult& out);

// Whether the text of a result says that the call failed or was not allowed.
bool tells_failure(std::string_view result);
// What the result of a command says of its end: "Command failed with exit code: 1".
std::optional<std::int32_t> exit_code_in(std::string_view result);

// A tool call written as XML in the text of an answer, as Cline's prompts of 2024 and 2025 asked for:
// "<read_file>\n<path>x</path>\n</read_file>".

struct XmlCall {
  std::string tool;
  std::size_t begin = 0;  // in the text
  std::size_t end = 0;
  std::string input;  // as a JSON object
  std::string talk;   // of a tool by which the model talks: the words
};

std::vector<XmlCall> xml_calls(std::string_view text);

// The calls in all texts of a message that stands as JSON. Calls that only talk are left out.
std::vector<XmlCall> xml_calls_of_message(std::string_view message);

// The id of such a call, which has none of its own: the n-th of an item, talk left out.
std::string xml_call_id(std::string_view item_key, std::size_t n);

}  // namespace memd::cline
