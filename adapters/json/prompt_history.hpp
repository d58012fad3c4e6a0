#pragma once

#include "adapters/json/log_decoder.hpp"

#include <string>
#include <string_view>

namespace memd::json {

// A line of a file in which an agent's terminal keeps what was typed, for the arrow keys.
struct HistoryPrompt {
  Platform platform{};
  std::string session_uid;
  TimeMs time = 0;
  std::string text;  // whole: pasted text in its place
  std::string cwd;
};

// Adds the line as a user_msg with origin history. Commands to the terminal itself ("/clear", "exit") are no prompts.
Fate add_history_prompt(const HistoryPrompt& prompt, RawRef raw, EventBatch& out);

}  // namespace memd::json
