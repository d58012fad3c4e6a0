#pragma once

#include <string_view>

namespace memd::search {

// English words that carry no subject, lower case. Left out of a query that has others.
bool is_stop_word(std::string_view word);

}  // namespace memd::search
