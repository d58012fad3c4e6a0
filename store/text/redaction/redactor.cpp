#include "store/text/redaction/redactor.hpp"

#include "store/text/redaction/secret_scan.hpp"

namespace memd {
bool has_secret(std::string_view text) {
  std::size_t at = 0;
  return static_cast<bool>(redaction::next_secret(text, at, 0));
}

bool redact(std::string& text) {
  std::size_t at = 0;
  redaction::Secret secret = redaction::next_secret(text, at, 0);
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
    secret = redaction::next_secret(text, at, done);
  }
  out.append(text, done);
  text = std::move(out);
  return true;
}

}  // namespace memd
