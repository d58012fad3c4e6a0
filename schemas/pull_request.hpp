#pragma once

#include <string_view>

namespace memd {

// Returns whether a URL is that of a pull request on a forge: "https://github.com/owner/name/pull/7",
// "…/-/merge_requests/7" and the like, with nothing after the number, in at most 300 bytes. Pure.
bool is_pull_request(std::string_view address);

// Returns whether the character can be part of such a URL.
bool is_of_address(char c);

}  // namespace memd
