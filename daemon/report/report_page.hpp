#pragma once

#include <string>
#include <string_view>

namespace memd::report {

// The page that shows what report_data() gave.
std::string report_page(std::string_view data);

}  // namespace memd::report
