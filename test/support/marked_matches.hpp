#pragma once

#include "schemas/search.hpp"

#include <string>

namespace memd::test {

// Returns the snippet of a hit with its matches in «».
inline std::string marked(const SearchHit& hit) {
  std::string out = hit.snippet;
  for (auto match = hit.matches.rbegin(); match != hit.matches.rend(); ++match)
    out.insert(match->start + match->length, "»").insert(match->start, "«");
  return out;
}

}  // namespace memd::test
