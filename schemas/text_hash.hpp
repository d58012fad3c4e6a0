#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace memd {

// For hash tables with string keys that are asked by views: with std::equal_to<> no key is made to ask.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};

}  // namespace memd
