#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace memd {

enum class Platform : std::uint16_t;  // schemas/platform.hpp

// Short ids shown to agents. "x42" is an exchange, "e7/31" the event with seq 31 of session row 7.
using ExchangeId = std::int64_t;

// Formats a 64-bit key as files of events and memories contain it: 16 hexadecimal digits in lower case, because JSON
// numbers are not exact enough.
std::string format_key(std::uint64_t key);
std::optional<std::uint64_t> parse_key(std::string_view text);

std::string format_exchange_id(ExchangeId id);                       // 42 -> "x42"
std::optional<ExchangeId> parse_exchange_id(std::string_view text);  // "x42" -> 42; rejects everything else

// "<platform>:<native id>"
std::string make_session_uid(Platform platform, std::string_view native_id);

struct SessionUidParts {
  Platform platform{};
  std::string_view native_id;
};
std::optional<SessionUidParts> split_session_uid(std::string_view uid);

// 8-4-4-4-12 hexadecimal digits.
bool is_uuid(std::string_view text);

}  // namespace memd
