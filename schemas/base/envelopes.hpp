#pragma once

#include <string>
#include <string_view>

// Recorded text that imitates what memd or an agent's client puts around text for a model. Pure functions, any thread.
namespace memd {

// Appends `text` without characters that nobody sees (zero-width blanks, soft hyphens, byte order marks, tag letters,
// surplus variation selectors), with U+FFFD for bidirectional controls, and with "‹" for the "<" of tags that a model
// may take for an envelope: </history>, <system-reminder>, <function_results>, <|im_start|>. A tag is recognised with
// blanks, with look-alike signs and letters (fullwidth, Cyrillic, mathematical), and with unseen characters in it. All
// other text stays as it is: code, joiners between letters of the scripts that need them, and emoji sequences.
void append_without_envelopes(std::string& out, std::string_view text);
std::string without_envelopes(std::string_view text);

}  // namespace memd
