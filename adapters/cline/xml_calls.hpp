#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// Tool calls written as XML in the text of an answer, as models without tools of their own were told to (2024, 2025):
// "<read_file>\n<path>x</path>\n</read_file>".
namespace memd::cline {

struct XmlCall {
  std::string tool;
  std::size_t begin = 0;  // in the text
  std::size_t end = 0;
  std::string input;  // as a JSON object
  std::string talk;   // of a tool by which the model talks: the words
};

std::vector<XmlCall> xml_calls(std::string_view text);

// Of all texts of a message that stands as JSON; calls that only talk are left out.
std::vector<XmlCall> xml_calls_of_message(std::string_view message);

// Such calls have no ids: the n-th of an item, talk left out.
std::string xml_call_id(std::string_view item_key, std::size_t n);

}  // namespace memd::cline
