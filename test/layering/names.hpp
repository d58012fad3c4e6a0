#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace memd::layering {

// What a file calls by the name of a type, or by one of several words (Row, read_head, kMost), as its tokens tell.
struct Names {
  std::set<std::string> namespaces;                         // of ours
  std::set<std::string> declared;                           // at namespace scope, whole: not "class SessionRow;"
  std::set<std::string> introduced;                         // anywhere: members, parameters and variables, too
  std::set<std::string> incomplete;                         // "class SessionRow;"
  std::map<std::pair<std::string, std::string>, int> used;  // outermost qualifier ("": none) and name: first line
};

Names names_in(std::string_view text);

}  // namespace memd::layering
