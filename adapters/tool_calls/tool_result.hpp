#pragma once

#include "adapters/json/json_text.hpp"
#include "schemas/event.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace memd::tool_calls {

// Gives a result its whole text: the beginning that the store keeps, or all of it with Detail::full, and what only the
// whole tells (Event::text_end, Event::pull_request).
void take_result_text(json::Detail detail, std::string whole, Event& result);

// Event::text_end of a text that stands in a JSON string, for readers that do not take it whole. Empty when the string
// has no more bytes than the store keeps, or no line begins near its end.
std::string last_lines_of(std::string_view token);

// The number behind `name` where a line of the text begins with it: "Exit code: 1". The last such line counts.
std::optional<std::int32_t> exit_code_behind(std::string_view name, std::string_view text);

// The address of the pull request that a tool of a server says it opened, in JSON: {"html_url": "https://…/pull/7", …}.
// Empty: none. The JSON may be cut, or stand in a string of other JSON.
std::string pull_request_in_json(std::string_view json);

}  // namespace memd::tool_calls
