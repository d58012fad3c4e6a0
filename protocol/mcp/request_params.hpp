#pragma once

#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <variant>

// Reads the params of a request, which are always an object, and their `_meta`. Pure functions, any thread.
namespace memd::mcp {

// Returns nullptr when the member is absent or null.
const boost::json::value* member(const boost::json::value& params, std::string_view name);
// Returns nullopt when the member is absent or no string.
std::optional<std::string_view> string_member(const boost::json::value& params, std::string_view name);

// Requests that a client accepts from a server, according to its capabilities (from a handshake or a request).
struct ClientOffers {
  bool model = false;        // sampling: its own model
  bool elicitation = false;  // elicitation of forms
};
ClientOffers client_offers(const boost::json::value* capabilities);

// The request carries the `_meta` of the stateless era.
struct ModernMeta {
  ClientOffers offers;
};
// The request carries no version: it belongs to a connection that shook hands.
struct LegacyMeta {};
// The `_meta` is wrong. The request is answered with this error.
struct BadMeta {
  int code;
  std::string message;
  std::string data;  // JSON, or empty
};
using Era = std::variant<LegacyMeta, ModernMeta, BadMeta>;

inline constexpr int kUnsupportedProtocolVersion = -32022;

Era read_era(const boost::json::object& params);

// `_meta.progressToken` as JSON text; empty when there is none.
std::string read_progress_token(const boost::json::object& params);

// True when a client's capabilities offer the directories that the client works in.
bool offers_roots(const boost::json::value* capabilities);

}  // namespace memd::mcp
