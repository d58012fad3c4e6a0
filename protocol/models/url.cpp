#include "protocol/models/url.hpp"
#include "schemas/base/error.hpp"

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include <charconv>

namespace memd::http {
namespace {

Error wrong(std::string what) { return Error(Errc::invalid_argument, std::move(what)); }

bool is_port(std::string_view text) {
  unsigned number = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), number);
  return ec == std::errc{} && end == text.data() + text.size() && number >= 1 && number <= 65535;
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
  out.secure = text.starts_with("https://");
  if (!out.secure && !text.starts_with("http://")) return wrong("an address begins with http:// or https://");
  const auto parsed = boost::urls::parse_uri({text.data(), text.size()});
  if (!parsed) return wrong("an address is a URI of RFC 3986: " + parsed.error().message());
  if (parsed->has_query() || parsed->has_fragment()) return wrong("an address here has no '?' and no '#'");
  if (parsed->has_userinfo()) return wrong("a user or a key does not belong in an address");
  out.host = std::string(parsed->encoded_host());
  if (out.host.empty()) return wrong("the address names no host");
  if (out.host.starts_with('[')) out.host = out.host.substr(1, out.host.size() - 2);
  out.port = out.secure ? "443" : "80";
  out.path = std::string(parsed->encoded_path());
  // Boost 1.81 ends a port at the first letter and takes what follows for a path.
  const bool path_is_sound = out.path.empty() || out.path.starts_with('/');
  if (parsed->has_port()) {
    out.port = std::string(parsed->port());
    if (!is_port(out.port) || !path_is_sound) return wrong("a port is a number from 1 to 65535");
  }
  while (out.path.ends_with('/'))
    out.path.pop_back();
  return out;
}

}  // namespace memd::http
