#pragma once

#include "store/text/redaction/secret_pattern.hpp"

#include <string_view>
#include <vector>

// Text that a person marked as private:
//  * "<private>…</private>". Blocks nest; a block without an end extends to the end of its text.
//  * a whole text that begins with "#private", after blanks, and after tags and whole elements that clients put there.
// A text is that of a person, an agent or a tool. In JSON, and in JSON inside JSON strings, each string is a text of
// its own. Case-insensitive. Pure; thread-safe.
namespace memd::redaction {

inline constexpr std::string_view kPrivate = "private";  // Secret::kind

// Returns false if the bytes contain nothing private, escaped or not. Runs at memory speed.
bool may_be_private(std::string_view bytes);

// Appends the private ranges of a text, in order. Valid JSON stays valid when they are masked.
void find_private(std::string_view text, std::vector<Secret>& out);

// Like find_private(), for a line of a log or of a document, which may be a part of a JSON text.
void find_private_in_line(std::string_view line, std::vector<Secret>& out);

}  // namespace memd::redaction
