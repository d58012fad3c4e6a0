#pragma once

#include "store/text/redaction/secret_pattern.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

// Secrets that are known by the structure around them and need more than a pattern. `at` is where the literal begins
// that a data file names for the form. Each appends what it finds; `doubtful` is set where escape sequences may hide
// something. Pure; every thread may call these.
namespace memd::redaction {

enum class Form : std::uint8_t {
  url,        // "://": the password of a connection string
  header,     // "authorization"
  cookie,     // the values of a cookie header
  user,       // "-u user:password" of curl
  key_block,  // "PRIVATE KEY": its lines, also behind line numbers, in comments and in arrays
  manifest,   // "kind: Secret" of Kubernetes: all data
};
std::optional<Form> form_named(std::string_view name);

void find_form(Form form, std::string_view text, std::size_t at, std::vector<Secret>& out, bool& doubtful);

}  // namespace memd::redaction
