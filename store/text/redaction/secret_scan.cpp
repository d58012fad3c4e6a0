#include "store/text/redaction/secret_scan.hpp"

#include "store/text/redaction/assignment.hpp"

#include <array>
#include <cstdint>

namespace memd::redaction {
namespace {

// Every secret has one of these bytes at a known place.
constexpr std::array<bool, 256> make_triggers() {
  std::array<bool, 256> t{};
  for (const char c : {'_', '-', '.', 'J', 'I', ':', '='})
    t[static_cast<unsigned char>(c)] = true;
  return t;
}
constexpr auto kTriggers = make_triggers();

std::size_t next_trigger(std::string_view s, std::size_t at) {
  const auto* p = reinterpret_cast<const unsigned char*>(s.data());
  const std::size_t n = s.size();
  for (; at + 4 <= n; at += 4) {
    if (kTriggers[p[at]]) return at;
    if (kTriggers[p[at + 1]]) return at + 1;
    if (kTriggers[p[at + 2]]) return at + 2;
    if (kTriggers[p[at + 3]]) return at + 3;
  }
  for (; at < n; ++at)
    if (kTriggers[p[at]]) return at;
  return n;
}

// user:password@ may follow.
bool names_a_user(std::string_view text, std::size_t at) {
  constexpr std::size_t kReach = 512;
  const std::string_view near = text.substr(at, kReach);
  return near.find('@') < near.find('"');
}

Secret examine(std::string_view text, std::size_t at, std::size_t floor, bool& doubtful) {
  switch (text[at]) {
    case '_': return token_at_underscore(text, at, floor);
    case '-': return token_at_dash(text, at, floor, doubtful);
    case '.': return token_at_dot(text, at, floor);
    case 'J':
    case 'I': return token_at_letter(text, at, floor);
    case ':':
      if (at + 1 < text.size() && (text[at + 1] == '/' || text[at + 1] == '\\')) {
        doubtful = doubtful || (text.substr(at + 1, 8).find('/') < 4 && names_a_user(text, at));
        if (text.substr(at, 3) == "://") return url_secret(text, at);
      }
      if (const Secret s = token_at_colon(text, at, floor, doubtful)) return s;
      return assigned_secret(text, at, doubtful);
    case '=': return assigned_secret(text, at, doubtful);
    default: return {};
  }
}

}  // namespace

Secret next_secret(std::string_view text, std::size_t& at, std::size_t floor, bool& doubtful) {
  for (at = next_trigger(text, at); at < text.size(); at = next_trigger(text, at + 1))
    if (const Secret s = examine(text, at, floor, doubtful)) return s;
  return {};
}

Secret next_secret(std::string_view text, std::size_t& at, std::size_t floor) {
  bool doubtful = false;
  return next_secret(text, at, floor, doubtful);
}

}  // namespace memd::redaction
