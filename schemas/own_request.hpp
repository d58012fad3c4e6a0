#pragma once

#include <string_view>

// Every text that memd sends to a language model begins with a line that no person writes. Where the model is an agent
// that keeps transcripts, its session is known by that line and is not taken in as history.
namespace memd {

inline constexpr std::string_view kOwnRequestMark = "[memd:request 1]";
inline constexpr std::string_view kOwnRequestLine =
    "[memd:request 1] This is a request of the program memd, not the words of a person.";

// Whether a prompt begins with the mark; blanks before it do not count.
constexpr bool is_own_request(std::string_view prompt) {
  const auto first = prompt.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && prompt.substr(first).starts_with(kOwnRequestMark);
}

}  // namespace memd
