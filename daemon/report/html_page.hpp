#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace memd::report {

// A page that contains its style and script. Its content security policy lets nothing else run or load, whatever the
// texts on the page contain. Free functions; each may be called on any thread.
struct HtmlPage {
  std::string title;                      // plain text
  std::vector<std::string_view> styles;   // names of files of daemon/report/page, in order
  std::vector<std::string_view> scripts;  // likewise
  std::string rules{};                    // style that no file holds, behind the files
};
std::string page_head(const HtmlPage& page);  // up to the body: markup follows, in which texts are escaped
std::string page_foot(const HtmlPage& page);  // its script and end

// Returns a file of daemon/report/page. Throws std::out_of_range when there is none of that name.
std::string_view page_file(std::string_view name);

// For text and for attribute values in quotes. Control characters that HTML forbids become U+FFFD.
std::string escape_html(std::string_view text);

// JSON for a <script type="application/json"> element, without markup.
std::string json_for_script(std::string_view json);

}  // namespace memd::report
