#pragma once

#include "store/text/redaction/secret_pattern.hpp"

#include <string_view>
#include <vector>

// What a person marked as private:
//  * "<private>…</private>". Blocks nest; one without an end reaches to the end of its text.
//  * a text that begins with "#private", behind blanks and the tags that clients put around prompts: all of it.
// A text is a text of a person, an agent or a tool. Where texts stand in JSON, in JSON inside of JSON too, each string
// is a text of its own. Letters of either case are alike. Pure; every thread may call these.
namespace memd::redaction {

inline constexpr std::string_view kPrivate = "private";  // Secret::kind

// False: there is nothing private in these bytes, escaped or not. A scan at the speed of memory.
bool may_be_private(std::string_view bytes);

// Appends the private stretches of a text, in order. One that is JSON stays JSON without them.
void find_private(std::string_view text, std::vector<Secret>& out);

// The same for a line of a log or of a document, which may be a part of a JSON text.
void find_private_in_line(std::string_view line, std::vector<Secret>& out);

}  // namespace memd::redaction
