#include "protocol/models/url.hpp"

#include <algorithm>
#include <charconv>

namespace memd::http {
namespace {

Error wrong(std::string_view what) { return Error(Errc::invalid_argument, std::string(what)); }

bool is_port(std::string_view text) {
  unsigned number = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), number);
  return ec == std::errc{} && end == text.data() + text.size() && number >= 1 && number <= 65535;
}

bool has_odd_bytes(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) { return c <= ' ' || c >= 0x7F; });
}

}  // namespace

std::string Url::authority() const {
  const bool v6 = host.find(':') != std::string::npos;
  const bool usual = port == (secure ? "443" : "80");
  return (v6 ? "[" + host + "]" : host) + (usual ? "" : ":" + port);
}

std::string Url::text() const { return (secure ? "https://" : "http://") + authority() + path; }

Result<Url> parse_url(std::string_view text) {
  Url out;
  if (has_odd_bytes(text)) return wrong("an address has no blanks and only ASCII");
  if (text.starts_with("https://"))
    out.secure = true;
  else if (!text.starts_with("http://"))
    return wrong("an address begins with http:// or https://");
  std::string_view rest = text.substr(out.secure ? 8 : 7);
  if (rest.find_first_of("?#") != std::string_view::npos) return wrong("an address here has no '?' and no '#'");
  const auto slash = rest.find('/');
  std::string_view authority = rest.substr(0, slash);
  if (slash != std::string_view::npos) out.path = rest.substr(slash);
  while (out.path.ends_with('/'))
    out.path.pop_back();
  if (authority.find('@') != std::string_view::npos) return wrong("a user or a key does not belong in an address");

  std::string_view port;
  if (authority.starts_with('[')) {
    const auto close = authority.find(']');
    if (close == std::string_view::npos) return wrong("'[' without ']'");
    out.host = authority.substr(1, close - 1);
    port = authority.substr(close + 1);
  } else {
    const auto colon = authority.find(':');
    out.host = authority.substr(0, colon);
    if (colon != std::string_view::npos) port = authority.substr(colon);
  }
  if (out.host.empty()) return wrong("the address names no host");
  out.port = out.secure ? "443" : "80";
  if (port.empty()) return out;
  if (!port.starts_with(':') || !is_port(port.substr(1))) return wrong("a port is a number from 1 to 65535");
  out.port = port.substr(1);
  return out;
}

}  // namespace memd::http
