#pragma once

#include "schemas/base/result.hpp"

#include <string>
#include <string_view>

namespace memd::http {

// The base address of an API: scheme://host[:port][/path].
struct Url {
  bool secure = false;  // https
  std::string host;     // a name or an address; an IPv6 address without its brackets
  std::string port;     // digits
  std::string path;     // empty, or begins with '/' and does not end with it

  std::string authority() const;  // as in a Host header
  std::string text() const;
};

// Parses a base address. Refuses a user, a password, a query and a fragment, because a key does not belong in an
// address. Errc::invalid_argument with the reason.
Result<Url> parse_url(std::string_view text);

}  // namespace memd::http
