#pragma once

#include "daemon/memories/notebook.hpp"
#include "daemon/report/gaps.hpp"
#include "daemon/report/prices.hpp"
#include "schemas/report.hpp"
#include "schemas/time.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// The page that `memd report` writes. Pure functions; each may be called on any thread.
namespace memd::report {

struct ReportContext {
  TimeMs made_at = 0;
  std::string version;
  std::string asked;  // the options, as typed
  std::vector<Gap> gaps;
  PriceList prices{};  // empty: only costs that platforms reckon themselves are told
  memories::MemoryGraphView memories{};
};

// The data of the page as JSON. What is zero or empty is left out; secrets are masked. Times are in milliseconds, UTC;
// days are those of schemas/report.hpp, and `offsets` leads from times to days. The newest sessions are told in detail
// as far as kDetailBytes go and the rest by a line each, so that a page stays at about 5 MB.
inline constexpr std::size_t kDetailBytes = 2'500'000;
std::string report_data(const Report& report, const ReportContext& context);

// The page that shows what report_data() gave.
std::string report_page(std::string_view data);

}  // namespace memd::report
