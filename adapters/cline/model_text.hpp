#pragma once

#include "schemas/event.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::cline {

// The name a tool has towards the model, from the one the messages for the user interface give it
// ("newFileCreated" → "write_to_file"). Unknown names stay.
std::string_view model_tool_name(std::string_view ui_name);

// Whether a call to `model_name` can be the one that is shown as `shown` (both names towards the model): a file that
// exists may have been written whole or edited.
bool may_show(std::string_view shown, std::string_view model_name);

// Tools by which the model talks to the user: their calls are shown as messages.
bool is_talk(std::string_view model_name);

std::optional<FileAccess> access_of(std::string_view model_name);

// What people said, in what is sent to the model under the user's name.

struct Words {
  std::string text;      // empty: nobody's words
  bool command = false;  // a slash command
};

// Takes the wrappers off ("<task>", "<feedback>", "<user_input>", …) and leaves out what the client adds
// ("<environment_details>", "[TASK RESUMPTION]", "[tool for 'x'] Result:", …).
Words human_words(std::string_view text);

// Results of tools that come as text stand under headings: "[read_file for 'x'] Result:".
struct TextResult {
  std::string_view tool;
  std::string_view text;
};
// The next result in `text` from `at` on; false when there is none. Moves `at` behind it.
bool next_text_result(std::string_view text, std::size_t& at, TextResult& out);

// Whether the text of a result says that the call failed or was not allowed.
bool tells_failure(std::string_view result);

// Tool calls written as XML in the text of an answer, as models without tools of their own were told to (2024, 2025):
// "<read_file>\n<path>x</path>\n</read_file>".

struct XmlCall {
  std::string tool;
  std::size_t begin = 0;  // in the text
  std::size_t end = 0;
  std::string input;  // as a JSON object
  std::string talk;   // of a tool by which the model talks: the words
};

std::vector<XmlCall> xml_calls(std::string_view text);

// Of all texts of a message that stands as JSON; calls that only talk are left out.
std::vector<XmlCall> xml_calls_of_message(std::string_view message);

// Such calls have no ids: the n-th of an item, talk left out.
std::string xml_call_id(std::string_view item_key, std::size_t n);

}  // namespace memd::cline
