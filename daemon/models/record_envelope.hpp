#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace memd::llm {

inline constexpr std::string_view kRecordMark = "<<<RECORD ";
inline constexpr std::string_view kEndMark = "<<<END ";

// Text of history between two lines that it cannot hold: their tag is made of the text and of a secret, so whoever
// wrote the text could not have known it. The same text and secret give the same lines, so that answers can be cached.
std::string enclosed(std::string_view text, std::uint64_t secret);

}  // namespace memd::llm
