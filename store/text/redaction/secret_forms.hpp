#pragma once

#include "store/text/redaction/look_ahead.hpp"
#include "store/text/redaction/secret_pattern.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

// Secrets that are recognised by the structure around them and need more than a pattern. `at` is the start of the
// literal that a data file names for the form. Appends the secrets found; sets `doubtful` if escape sequences may hide
// one. `ahead` belongs to the text. Pure; thread-safe.
namespace memd::redaction {

enum class Form : std::uint8_t {
  url,        // "://": the password of a connection string
  header,     // "authorization"
  cookie,     // the values of a cookie header
  user,       // "-u user:password" of curl
  key_block,  // "PRIVATE KEY": its lines, also behind line numbers, in comments and in arrays
  manifest,   // "kind: Secret" of Kubernetes: all values of its data
  file,       // the name of a file that is there for secrets: random words behind it (secret_file.hpp)
};
std::optional<Form> form_named(std::string_view name);

void find_form(Form form, std::string_view text, std::size_t at, LookAhead& ahead, std::vector<Secret>& out,
               bool& doubtful);

}  // namespace memd::redaction
