#pragma once

#include "daemon/cli/render/screen.hpp"
#include "daemon/usage/usage_report.hpp"

#include <cstddef>

namespace memd::cli {

// Shows the rows with a bar each, their sum, and what is known of limits. `left_out`: rows that are only in the sum.
void show(Screen& screen, const usage::UsageReport& report, std::size_t left_out);
// Shows the prices that are in force.
void show(Screen& screen, const usage::PriceTable& prices);

}  // namespace memd::cli
