#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// Whose words the text of a "user" message is. Codex sends what it has to tell the model under that name too.
namespace memd::codex {

enum class Voice : std::uint8_t {
  human,     // a prompt
  shell,     // a "!" command and what it printed
  injected,  // put there by the client
  image,     // the brackets around a pasted image
  nothing,   // blank once the wrappers are off
};

struct Spoken {
  Voice voice = Voice::nothing;
  std::string_view text;    // trimmed, the wrapper of the IDE taken off; of a shell command the command
  std::string_view output;  // of a shell command
};

// Views into `text`.
Spoken who_speaks(std::string_view text);

// What a newer client says of a part itself ("user.text", "environments.environment_context").
bool is_human_kind(std::string_view kind);

}  // namespace memd::codex
