#pragma once

#include "schemas/error.hpp"

#include <string>
#include <string_view>

namespace memd::http {

// scheme://host[:port][/path], as far as a base address of an API needs it.
struct Url {
  bool secure = false;  // https
  std::string host;     // a name or an address; an IPv6 address without its brackets
  std::string port;     // digits
  std::string path;     // empty, or begins with '/' and does not end with it

  std::string authority() const;  // as it stands in a Host header
  std::string text() const;
};

// Errc::invalid_argument says what is wrong. No user, password, query or fragment: keys do not belong in an address.
Result<Url> parse_url(std::string_view text);

}  // namespace memd::http
