#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace memd::memory {

// A heading of a Markdown text. `anchor` follows GitHub's rules, with -1, -2, … for repetitions, so that links to a
// part of a memory stay valid as long as the headings do.
struct Heading {
  int level = 1;  // 1…6
  int line = 1;   // line in the text, from 1
  std::string text;
  std::string anchor;
};

// Returns the "# Heading" lines outside fenced code. Pure.
std::vector<Heading> headings_of(std::string_view markdown);

// Returns the first heading of level 1; empty if there is none.
std::string first_title(std::string_view markdown);

}  // namespace memd::memory
