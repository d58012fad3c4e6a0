#pragma once

#include <string_view>

namespace memd {

// Whether an address is that of a pull request on a forge: "https://github.com/owner/name/pull/7",
// "…/-/merge_requests/7" and the like, with nothing behind the number, in at most 300 bytes. Pure.
bool is_pull_request(std::string_view address);

// A character that can stand in such an address.
bool is_of_address(char c);

}  // namespace memd
