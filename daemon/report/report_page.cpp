#include "daemon/report/report_page.hpp"

#include "daemon/report/html_page.hpp"

namespace memd::report {

std::string report_page(std::string_view data) {
  HtmlPage page;
  page.title = "memd report";
  page.styles = {"page.css", "report.css"};
  // In the order of use; they share one scope.
  page.scripts = {"theme.js",           "dom.js",      "model.js",  "overview.js", "heat_map.js", "lanes.js",
                  "session_details.js", "sessions.js", "topics.js", "tokens.js",   "uses.js",     "coverage.js",
                  "report.js"};
  return page_head(page) + std::string(page_file("report.html")) + "<script type=\"application/json\" id=\"data\">" +
         json_for_script(data) + "</script>\n" + page_foot(page);
}

}  // namespace memd::report
