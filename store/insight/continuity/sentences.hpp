#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

// Classification of sentences.
namespace memd::continuity {

// Returns the sentence in lower case with blanks for everything except letters, digits and apostrophes, and a blank at
// each end: " don't do it ".
std::string normalized_sentence(std::string_view sentence);
// Counts words between blanks. Two Chinese or Japanese characters count as one word.
std::ptrdiff_t words_in(std::string_view normalized);

// Calls `f` for the sentences and list items of a message, from `shortest` to `longest` bytes. Skips code, tables and
// headings.
void for_each_sentence(std::string_view text, std::size_t shortest, std::size_t longest,
                       const std::function<void(std::string_view)>& f);

// Returns whether the sentence announces what follows: it ends in a colon, ignoring bold markers and quotes.
bool announces(std::string_view sentence);

// Returns whether the sentence refers to earlier text and cannot be understood alone: "This is by design."
bool refers_back(std::string_view sentence);

// Returns whether the prompt only tells the agent to go on and names no work: "yes", "ok, continue", "commit this".
bool is_continue_prompt(std::string_view prompt);

}  // namespace memd::continuity
