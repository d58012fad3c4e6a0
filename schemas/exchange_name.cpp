#include "schemas/exchange_name.hpp"

#include "schemas/ids.hpp"

#include <charconv>

namespace memd {

std::string format_exchange_name(std::string_view session_uid, std::int64_t number) {
  return std::string(session_uid) + "#" + std::to_string(number);
}

std::optional<ExchangeName> parse_exchange_name(std::string_view text) {
  const auto hash = text.rfind('#');
  if (hash == std::string_view::npos) return std::nullopt;
  const auto session = split_session_uid(text.substr(0, hash));
  if (!session) return std::nullopt;
  ExchangeName out{make_session_uid(session->platform, session->native_id), 0};
  const char* const end = text.data() + text.size();
  const auto [after, ec] = std::from_chars(text.data() + hash + 1, end, out.number);
  if (ec != std::errc() || after != end || out.number < 0) return std::nullopt;
  return out;
}

}  // namespace memd
