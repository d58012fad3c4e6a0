#include "schemas/ids.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/platform.hpp"

#include <charconv>

namespace memd {

std::string format_exchange_id(ExchangeId id) { return "x" + std::to_string(id); }

std::optional<ExchangeId> parse_exchange_id(std::string_view text) {
  if (text.size() < 2 || text.front() != 'x') return std::nullopt;
  ExchangeId id = 0;
  const char* end = text.data() + text.size();
  const auto [ptr, ec] = std::from_chars(text.data() + 1, end, id);
  if (ec != std::errc{} || ptr != end || id <= 0) return std::nullopt;
  return id;
}

std::string format_key(std::uint64_t key) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out(16, '0');
  for (std::size_t i = 16; i-- > 0; key >>= 4)
    out[i] = digits[key & 15U];
  return out;
}

std::optional<std::uint64_t> parse_key(std::string_view text) {
  if (text.size() != 16 || text.find_first_not_of("0123456789abcdef") != std::string_view::npos) return std::nullopt;
  std::uint64_t key = 0;
  std::from_chars(text.data(), text.data() + text.size(), key, 16);
  return key;
}

std::string make_session_uid(Platform platform, std::string_view native_id) {
  std::string uid(to_string(platform));
  uid += ':';
  uid += native_id;
  return uid;
}

std::optional<SessionUidParts> split_session_uid(std::string_view uid) {
  const auto colon = uid.find(':');
  if (colon == std::string_view::npos || colon + 1 == uid.size()) return std::nullopt;
  const auto platform = parse_platform(uid.substr(0, colon));
  if (!platform) return std::nullopt;
  return SessionUidParts{*platform, uid.substr(colon + 1)};
}

bool is_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (i == 8 || i == 13 || i == 18 || i == 23) {
      if (c != '-') return false;
    } else if (!ascii::is_hex(c)) {
      return false;
    }
  }
  return true;
}

}  // namespace memd
