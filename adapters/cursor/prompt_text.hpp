#pragma once

#include "schemas/base/timestamp.hpp"

#include <string>
#include <string_view>

namespace memd::cursor {

// The user's words in a text under the user role. Cursor puts elements around and before them, seen in transcripts of
// 2026: <timestamp>, <user_info>, <open_and_recently_viewed_files>, <system_reminder> and others, and <user_query>
// around the words themselves; earlier versions wrote the words alone. Pure.
struct PromptText {
  std::string text;       // empty: none of the user's
  bool injected = false;  // the text consists of Cursor's own elements
  TimeMs time = 0;        // of <timestamp>; 0: not there, or not readable
};
PromptText read_prompt_text(std::string_view text);

// Reads the content of <timestamp>: "Friday, Nov 20, 2026, 2:07 PM (UTC+3)", RFC 3339, or a number of seconds or
// milliseconds. A time without a zone is local. 0: not readable.
TimeMs parse_prompt_time(std::string_view stamp);

}  // namespace memd::cursor
