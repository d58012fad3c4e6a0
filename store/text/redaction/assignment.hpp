#pragma once

#include <cstddef>
#include <string_view>

namespace memd::redaction {

struct Secret {
  std::size_t begin = 0;
  std::size_t end = 0;  // equal to begin: none
  std::string_view kind;
  explicit operator bool() const { return end > begin; }
};

// `name = value`, `"name": "value"`, `NAME=value`: `at` is the position of the '=' or ':'.
// `named` is set when the name alone is that of a secret.
Secret assigned_secret(std::string_view text, std::size_t at, bool& named);

// `--password value`: `at` is the position of the first dash.
Secret option_secret(std::string_view text, std::size_t at, bool& named);

// Stands for a secret without being one: "<your key>", "$VAR", "xxx", "process.env.X", "[redacted:…]".
bool is_placeholder(std::string_view value);

// A secret known by its form. `at` is the position of a trigger byte (see redactor.cpp); the secret may begin before
// it. `floor` bounds how far back it may begin.

Secret token_at_underscore(std::string_view text, std::size_t at, std::size_t floor);
// `named`: see assigned_secret().
Secret token_at_dash(std::string_view text, std::size_t at, std::size_t floor, bool& named);
Secret token_at_dot(std::string_view text, std::size_t at, std::size_t floor);
Secret token_at_letter(std::string_view text, std::size_t at, std::size_t floor);  // 'J', 'I', 'z'
Secret token_at_colon(std::string_view text, std::size_t at, std::size_t floor, bool& named);
// Slack and Discord webhooks, passwords in connection strings.
Secret url_secret(std::string_view text, std::size_t at);

}  // namespace memd::redaction
