#pragma once

#include "store/text/redaction/assignment.hpp"

#include <cstddef>
#include <string_view>

namespace memd::redaction {

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
