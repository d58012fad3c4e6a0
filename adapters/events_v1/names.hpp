#pragma once

#include "adapters/json/json_text.hpp"
#include "schemas/event.hpp"
#include "schemas/ids.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// The words of events.v1 (schemas/json/events.v1.schema.json), for reader and writer alike.
namespace memd::events_v1 {

enum class Actor : std::uint8_t { user, agent, tool };
inline constexpr std::array<std::string_view, 3> kActorNames{"user", "agent", "tool"};

enum class LineKind : std::uint8_t { message, tool_call, tool_result, approval, patch, snapshot, note };
inline constexpr std::array<std::string_view, 7> kLineKindNames{"message", "tool_call", "tool_result", "approval",
                                                                "patch",   "snapshot",  "note"};
inline constexpr std::array<std::string_view, 4> kTitleRankNames{"none", "summary", "ai", "custom"};

// The enumerator whose name stands at its place in the table.
template <class Enum, std::size_t N>
std::optional<Enum> parse_name(const std::array<std::string_view, N>& names, std::string_view text) {
  for (std::size_t i = 0; i < N; ++i)
    if (names[i] == text) return static_cast<Enum>(i);
  return std::nullopt;
}

// For enumerations with to_string(), counted from 0 to `last`.
template <class Enum>
std::optional<Enum> parse_enum(std::string_view text, Enum last) {
  for (std::size_t i = 0; i <= static_cast<std::size_t>(last); ++i)
    if (const auto value = static_cast<Enum>(i); to_string(value) == text) return value;
  return std::nullopt;
}

// 64 bits as memd writes them: 16 hexadecimal digits in lower case. JSON numbers do not hold them.
inline std::string format_key(std::uint64_t key) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out(16, '0');
  for (std::size_t i = 16; i-- > 0; key >>= 4)
    out[i] = digits[key & 15U];
  return out;
}
inline std::optional<std::uint64_t> parse_key(std::string_view text) {
  if (text.size() != 16 || text.find_first_not_of("0123456789abcdef") != std::string_view::npos) return std::nullopt;
  std::uint64_t key = 0;
  std::from_chars(text.data(), text.data() + text.size(), key, 16);
  return key;
}

inline constexpr std::size_t kMaxSessionId = 200;  // bytes

// A session id that names a platform keeps it ("claude_code:…"); any other belongs to the platform that brought it.
inline std::string session_uid_of(Platform own, std::string_view session_id) {
  if (const auto parts = split_session_uid(session_id)) return make_session_uid(parts->platform, parts->native_id);
  return make_session_uid(own, session_id);
}

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
