#pragma once

#include "store/insight/topics/prose.hpp"

#include <optional>
#include <string_view>

namespace memd::topics {

// The part of a run of letters, digits and the signs that join them that is worth keeping.
struct ShapedToken {
  std::string_view text;
  TokenShape shape = TokenShape::word;
};

// Nothing for numbers, hashes, versions, addresses, directories, single letters.
// `called`: a "(" follows; `in_code`: it stands between backticks.
std::optional<ShapedToken> shape_token(std::string_view run, bool called, bool in_code);

// Whether it ends as names of source, configuration and document files do.
bool is_file_name(std::string_view name);

}  // namespace memd::topics
