#pragma once

#include <string>
#include <string_view>
#include <vector>

// Messages of the agent back end: JSON in blobs that are named by the SHA-256 of their content, and a list of the names
// in a protobuf message.
namespace memd::cursor {

// The 32-byte values of field 1 of a protobuf message, in order, in hexadecimal. What is not protobuf ends the list.
std::vector<std::string> child_ids(std::string_view protobuf);

// "conversationState" of a composer: "~" and base64 or hexadecimal. Empty when it is neither.
std::string decode_state(std::string_view state);

// Bytes written as hexadecimal digits, as cursor-agent does with its JSON; empty when they are not.
std::string from_hex(std::string_view digits);

}  // namespace memd::cursor
