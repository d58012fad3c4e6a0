#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

// Sentences by what they do.
namespace memd::continuity {

// In lower case, with a blank for everything but letters, digits and apostrophes, and one at each end: " don't do it ".
std::string spoken_form(std::string_view sentence);
// Blanks stand between them; of Chinese and Japanese two characters are taken for one.
std::ptrdiff_t words_in(std::string_view spoken);

// Sentences and list items of a message that a reader can take in: no code, tables and headings, from `shortest` to
// `longest` bytes.
void for_each_sentence(std::string_view text, std::size_t shortest, std::size_t longest,
                       const std::function<void(std::string_view)>& f);

// It announces what follows: it ends in a colon, marks of bold words and quotes aside.
bool announces(std::string_view sentence);

// It speaks of what stands above it, and is not understood alone: "This is by design."
bool refers_back(std::string_view sentence);

// Words only to go on, that name no work: "yes", "ok, continue", "commit this".
bool is_go_ahead(std::string_view prompt);

}  // namespace memd::continuity
