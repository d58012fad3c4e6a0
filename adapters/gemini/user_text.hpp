#pragma once

#include <string_view>

namespace memd::gemini {

enum class Voice {
  nothing,
  human,
  command,   // "/…"
  shell,     // a "!" command, told to the model afterwards
  injected,  // by the client, for the model's eyes
  nudge,     // "Please continue.", sent by the client in place of a person
  summary,   // what replaced compacted messages
};

struct Spoken {
  Voice voice = Voice::nothing;
  std::string_view text;  // without what the client put around it
};

// Who speaks in a message of type "user".
Spoken who_speaks(std::string_view text);

}  // namespace memd::gemini
