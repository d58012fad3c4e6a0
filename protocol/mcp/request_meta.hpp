#pragma once

#include "protocol/jsonrpc/message.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace memd::mcp {

// The request carries the `_meta` of the stateless era.
struct ModernMeta {};
// It carries none: a connection that shook hands.
struct LegacyMeta {};
// It tries to, and is answered with this error.
struct BadMeta {
  int code;
  std::string message;
  std::string data;  // JSON, or empty
};
using Era = std::variant<LegacyMeta, ModernMeta, BadMeta>;

inline constexpr int kUnsupportedProtocolVersion = -32022;

Era read_era(const boost::json::object& params);

// `_meta.progressToken` as JSON text, empty when there is none.
std::string read_progress_token(const boost::json::object& params);

// What a subscriptions/listen asked for and gets; all else is not offered.
struct SubscriptionFilter {
  bool tools_list_changed = false;
};

}  // namespace memd::mcp
