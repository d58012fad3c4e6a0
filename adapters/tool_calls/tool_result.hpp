#pragma once

#include "adapters/json/json_text.hpp"
#include "adapters/json/record_builder.hpp"
#include "schemas/event.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace memd::tool_calls {

// Sets a result's text: the beginning that the store keeps, or all of it with Detail::full. Also sets what only the
// whole text shows (Event::text_end, Event::pull_request).
void take_result_text(json::Detail detail, std::string whole, Event& result);

// Adds a result with its text; valid until the next event.
Event& add_result(json::RecordBuilder& record, std::string call_id, std::string whole, bool is_error = false);

// Returns Event::text_end of a text in a JSON string, for readers that do not load it whole. Empty when the string has
// no more bytes than the store keeps, or no line begins near its end.
std::string last_lines_of(std::string_view token);

// Returns the number after `name` in the last line that begins with it: "Exit code: 1".
std::optional<std::int32_t> exit_code_behind(std::string_view name, std::string_view text);

// Returns the URL of the pull request that a server's tool reports to have opened, in JSON: {"html_url":
// "https://…/pull/7", …}. Empty: none. The JSON may be truncated, or be in a string of other JSON.
std::string pull_request_in_json(std::string_view json);

}  // namespace memd::tool_calls
