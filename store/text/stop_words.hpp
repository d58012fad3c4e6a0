#pragma once

#include <string_view>

namespace memd::search {

// Words that carry no subject, with ASCII letters in lower case: English ones, Russian ones (of Snowball's list), and
// what questions are asked with in Chinese, Japanese and Korean. Left out of a query that has others.
bool is_stop_word(std::string_view word);

}  // namespace memd::search
