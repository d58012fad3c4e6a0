#pragma once

#include "adapters/json/json_text.hpp"
#include "schemas/event.hpp"

#include <string_view>

namespace memd::events_v1 {

// How much of an event's whole text the store keeps: messages whole, results and client output up to the limit, inputs
// not at all (their summary and search text stand for them).
inline std::string_view stored_text(EventKind kind, std::string_view whole) {
  switch (kind) {
    case EventKind::tool_call: return {};
    case EventKind::tool_result:
    case EventKind::lifecycle: return json::utf8_prefix(whole, kResultTextLimit);
    default: return whole;
  }
}

}  // namespace memd::events_v1
