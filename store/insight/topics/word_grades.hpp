#pragma once

#include <span>
#include <string_view>

namespace memd::topics {

// What a word can do for a phrase, whatever text it stands in. A word that is in no list tells something.
enum class WordGrade {
  border,   // carries no subject: no phrase goes across it
  verb,     // so does this one, save in code: `git rebase --continue`
  filler,   // only between or after words that tell something: "file", "value"
  common,   // half: tells something beside another such word: "merge conflict", "failing test"
  telling,  // can be a topic alone
};

struct GradedWords {
  WordGrade grade{};
  std::string_view words;  // lower case, separated by blanks or line breaks
};

// English, with short lists for some languages people also write to agents in. Compared by stem.
std::span<const GradedWords> graded_words();

}  // namespace memd::topics
