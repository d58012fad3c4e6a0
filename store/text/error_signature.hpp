#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::search {

// What a pasted stack trace or error output says that would be said again: types and messages of errors without
// addresses, numbers and folders, then the files and functions of the innermost frames.
struct ErrorSignature {
  std::vector<std::string> messages;  // at most three, the most telling first
  std::vector<std::string> frames;    // "file function", at most six
};

// nullopt: the text is no output with an error in it. Traces of Python, JavaScript, Java, Rust, Go, C and C++ compilers
// and sanitizers are known; lines that speak of an error are found in anything of several lines.
std::optional<ErrorSignature> error_signature(std::string_view text);

}  // namespace memd::search
