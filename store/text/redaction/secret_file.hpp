#pragma once

#include "store/text/redaction/look_ahead.hpp"
#include "store/text/redaction/secret_pattern.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

// Files that are there for secrets: .env, .netrc, secrets.yml. In what they contain, each word is one that no person
// writes otherwise. Pure; thread-safe.
namespace memd::redaction {

// Whether the path with the name of such a file, which `at` begins and which is `length` bytes long, is read or written
// there: `cat .env`, "file_path": "/app/.env". Not process.env, not .env.example, not a mention.
bool opens_secret_file(std::string_view text, std::size_t at, std::size_t length);

// Appends the random words of a text that is, or has in it, the content of such a file. `ahead` belongs to the text.
void find_in_secret_file(std::string_view text, LookAhead& ahead, std::vector<Secret>& out);

}  // namespace memd::redaction
