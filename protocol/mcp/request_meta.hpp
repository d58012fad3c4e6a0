#pragma once

#include "protocol/jsonrpc/message.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace memd::mcp {

// The request carries the `_meta` of the stateless era.
struct ModernMeta {
  bool can_sample = false;  // the client offers its own model, for this request
};
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

// Whether the client's capabilities, of a handshake or a request, offer its own model.
bool can_sample(const boost::json::value* capabilities);

}  // namespace memd::mcp
