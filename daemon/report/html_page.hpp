#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace memd::report {

// A page that contains its style and script. Its content security policy allows nothing else to run or load, whatever
// texts are on the page. Free functions; each may be called on any thread.
struct HtmlPage {
  std::string title;                      // plain text
  std::vector<std::string_view> styles;   // file names in daemon/report/page, in order
  std::vector<std::string_view> scripts;  // likewise
  std::string rules{};                    // generated style, after the files
  std::string constants{};                // generated script, before the files
};
std::string page_head(const HtmlPage& page);  // everything before the body's markup, in which the caller escapes texts
std::string page_foot(const HtmlPage& page);  // the scripts and the end of the page

// Returns a file of daemon/report/page. Throws std::out_of_range if there is none of that name.
std::string_view page_file(std::string_view name);
// The style and the script of a page, as they are in it.
std::string style_of(const HtmlPage& page);
std::string script_of(const HtmlPage& page);
// Returns the source expression by which a content security policy allows a script or style: 'sha256-…'.
std::string hash_source(std::string_view text);

// The names of agents for scripts, `agents[key]`, and their colours: the classes p-<key>.
std::string agent_names();
std::string agent_colours();

// Escapes text for elements and for quoted attribute values. Control characters that HTML forbids become U+FFFD.
std::string escape_html(std::string_view text);

// Escapes JSON for a <script type="application/json"> element, so that it contains no markup.
std::string json_for_script(std::string_view json);

}  // namespace memd::report
