#pragma once

#include <string_view>

namespace memd::tool_calls {

// Takes the first line off `rest`, without its "\n" or "\r\n".
inline std::string_view next_line(std::string_view& rest) {
  const auto end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace memd::tool_calls
