#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace memd::memory {

// A heading of a Markdown text. `anchor` is what GitHub makes of it, with -1, -2, … when it occurs again, so that a
// link to a part of a memory stays right while the headings stay.
struct Heading {
  int level = 1;  // 1…6
  int line = 1;   // of the text, from 1
  std::string text;
  std::string anchor;
};

// "# Heading" lines outside of fenced code. Pure.
std::vector<Heading> headings_of(std::string_view markdown);

// The first heading of level 1; empty if there is none.
std::string first_title(std::string_view markdown);

}  // namespace memd::memory
