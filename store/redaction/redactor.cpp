#include "store/redaction/redactor.hpp"

#include "store/redaction/assignment.hpp"
#include "store/redaction/known_token.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace memd {
namespace {

using redaction::Secret;

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

Secret examine(std::string_view text, std::size_t at, std::size_t floor) {
  switch (text[at]) {
    case '_': return redaction::token_at_underscore(text, at, floor);
    case '-': return redaction::token_at_dash(text, at, floor);
    case '.': return redaction::token_at_dot(text, at, floor);
    case 'J':
    case 'I': return redaction::token_at_letter(text, at, floor);
    case ':':
      if (text.substr(at, 3) == "://") return redaction::url_secret(text, at);
      if (const Secret s = redaction::token_at_colon(text, at, floor)) return s;
      return redaction::assigned_secret(text, at);
    case '=': return redaction::assigned_secret(text, at);
    default: return {};
  }
}

Secret next_secret(std::string_view text, std::size_t& at, std::size_t floor) {
  for (at = next_trigger(text, at); at < text.size(); at = next_trigger(text, at + 1))
    if (const Secret s = examine(text, at, floor)) return s;
  return {};
}

}  // namespace

bool has_secret(std::string_view text) {
  std::size_t at = 0;
  return static_cast<bool>(next_secret(text, at, 0));
}

bool redact(std::string& text) {
  std::size_t at = 0;
  Secret secret = next_secret(text, at, 0);
  if (!secret) return false;
  std::string out;
  out.reserve(text.size() + 64);
  std::size_t done = 0;
  while (secret) {
    out.append(text, done, secret.begin - done);
    out += "[redacted:";
    out += secret.kind;
    out += ']';
    done = at = secret.end;
    secret = next_secret(text, at, done);
  }
  out.append(text, done);
  text = std::move(out);
  return true;
}

}  // namespace memd
