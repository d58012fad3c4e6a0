#pragma once

#include <cstddef>
#include <string_view>

namespace memd {

// A set of names, written as one text with a blank between two:
//
//   constexpr Names kErrors("error diff_error mcp_error");
//
// For the record types, tools and keys of an agent. Constant; any thread.
class Names {
 public:
  consteval explicit Names(std::string_view text) : text_(text) {}

  constexpr bool has(std::string_view name) const { return !find(name).empty(); }

  // Returns the name as it is in the set, for as long as the set lives; empty if it is not in it.
  constexpr std::string_view find(std::string_view name) const {
    if (name.empty() || name.find(' ') != std::string_view::npos) return {};
    for (auto at = text_.find(name); at != std::string_view::npos; at = text_.find(name, at + 1)) {
      const std::size_t end = at + name.size();
      if ((at == 0 || text_[at - 1] == ' ') && (end == text_.size() || text_[end] == ' '))
        return text_.substr(at, name.size());
    }
    return {};
  }

 private:
  std::string_view text_;
};

}  // namespace memd
