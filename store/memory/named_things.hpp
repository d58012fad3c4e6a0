#pragma once

#include "schemas/memory.hpp"

#include <string>
#include <vector>

namespace memd::memory {

// Names in a memory that git or a session may contain: paths, and words in `code`.
struct NamedThings {
  std::vector<std::string> paths;  // those of its provenance first
  std::vector<std::string> words;  // of letters, digits and '_'
};
NamedThings named_in(const Memory& memory);  // pure

}  // namespace memd::memory
