#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace memd {

// The name of an exchange that holds on every machine that has the session, and so is written to files that people
// commit: "claude_code:1f2e…#3", the session's uid and the number of the exchange in it. "x42" holds in one store.
struct ExchangeName {
  std::string session;
  std::int64_t number = 0;
};
std::string format_exchange_name(std::string_view session_uid, std::int64_t number);
std::optional<ExchangeName> parse_exchange_name(std::string_view text);

}  // namespace memd
