#pragma once

#include <cstdint>
#include <string_view>

// Whose words the text of a "user" record is. Claude Code writes many things under that name (formats §1.4).
namespace memd::claude_code {

enum class Voice : std::uint8_t {
  human,           // a prompt
  command,         // a slash command, as the record words it
  shell,           // a "!" command
  shell_output,    // what the "!" command printed
  command_output,  // what the slash command printed
  interrupt,       // "[Request interrupted by user…"
  injected,        // put there by the client
  nothing,         // blank once the wrappers are off
};

struct Spoken {
  Voice voice = Voice::nothing;
  std::string_view text;  // trimmed, IDE wrappers in front taken off; a view into the argument
};

Spoken who_speaks(std::string_view text);

inline bool is_human(Voice voice) { return voice == Voice::human || voice == Voice::command || voice == Voice::shell; }

// The words with which a person rejected a tool call, inside the text of its result; empty when there are none.
std::string_view rejection_words(std::string_view result_text);

}  // namespace memd::claude_code
