#pragma once

#include <string>
#include <string_view>

// What people said, in what is sent to the model under the user's name.
namespace memd::cline {

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

}  // namespace memd::cline
