#pragma once

#include "adapters/snapshot_reader.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace memd::openhands {

inline constexpr std::string_view kStateName = "base_state.json";
inline constexpr std::string_view kSubagents = "subagents";  // in a conversation: a conversation for each

// Returns the number in the name of an event's file, "event-<number>-<uuid>.json"; nullopt for other names.
std::optional<std::uint64_t> event_number(std::string_view file_name);

// Reads a conversation: base_state.json, which is rewritten, and a file in events/ for each event, which is not. Tokens
// are in the state, by the id of their response. `folder`: the conversation's; its name is the native id. `files` must
// outlive the reader.
//
// Items: {"usage"?: as written, "event": as written}. An event's "action" is left out where the model's
// own arguments, of which OpenHands makes it, are beside it. {"damaged":true} is a file that is no JSON object; one
// that ends too early is being written, and waits. The head is {"cwd"?, "model"?, "cost"?, "parentID"?}.
std::unique_ptr<SnapshotReader> open_conversation(const FileView& files, std::string folder);

}  // namespace memd::openhands
