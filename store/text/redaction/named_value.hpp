#pragma once

#include "store/text/redaction/look_ahead.hpp"
#include "store/text/redaction/secret_pattern.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

// Values of sensitive names: `password=…`, `"apiKey": "…"`, `--token …`, `<secret>…</secret>`,
// "the password for staging is …". Pure; thread-safe.
namespace memd::redaction {

// The kind of value that a name suggests.
enum class ValueKind : std::uint8_t {
  none,
  password,        // chosen by a person
  short_password,  // the same, but the name has other meanings too
  key,             // random characters
  maybe_key,       // names of other kinds of keys end like this, too
  phrase,          // many small words
  pin,             // digits
  card,            // the number of a payment card
};

// How a value stands in its text.
enum class ValueStyle : std::uint8_t {
  quoted,
  shell,  // directly behind '='
  bare,   // after "name: " or "name = ", where code may stand
  told,   // "the password is …"
};

// The name that ends with the word found at [word_begin, word_end).
struct SensitiveName {
  std::size_t begin = 0;
  std::size_t end = 0;
  ValueKind value_kind = ValueKind::none;
};
SensitiveName sensitive_name_at(std::string_view text, std::size_t word_begin, std::size_t word_end);

// Returns the value of a name. Sets `doubtful` if a value may follow that only appears once escape sequences are
// resolved. `ahead` belongs to the text.
Secret named_value(std::string_view text, const SensitiveName& name, LookAhead& ahead, bool& doubtful);

// Returns whether the value may be one of the name.
bool is_value_of(std::string_view value, const SensitiveName& name, ValueStyle style, LookAhead& ahead);
// Returns Secret::kind of the values of the name.
std::string_view kind_of(const SensitiveName& name);

// Judge a value, which is a part of the text that `ahead` belongs to.
// Returns whether the value is a placeholder: "<your key>", "$VAR", "xxx", "process.env.X", "[redacted:…]".
bool is_placeholder(std::string_view value, LookAhead& ahead);
// Returns whether the value has at least `least` characters and contains no words.
bool is_random(std::string_view value, std::size_t least, LookAhead& ahead);
// Like is_random(), but as random as tokens of services are: letters of both cases and digits, mixed.
bool is_token_like(std::string_view value, std::size_t least, LookAhead& ahead);
// Returns whether the value is a number of a payment card, by its check digit.
bool is_card_number(std::string_view value);
// Returns whether a value in the place of a password may be one: it is no placeholder.
bool is_password(std::string_view value, LookAhead& ahead);
// Like is_password(), but refuses plain words, too.
bool is_chosen_password(std::string_view value, LookAhead& ahead);
// Returns the six bits of a character of Base64; -1 for another.
inline constexpr auto kBase64Digits = [] {
  constexpr std::string_view kAll = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::array<std::int8_t, 256> out{};
  out.fill(-1);
  for (std::size_t i = 0; i < kAll.size(); ++i)
    out[static_cast<unsigned char>(kAll[i])] = static_cast<std::int8_t>(i);
  return out;
}();
constexpr int base64_digit(char c) { return kBase64Digits[static_cast<unsigned char>(c)]; }
// Calls take(char) for each byte that `v`, Base64 without padding, encodes, until it returns false or a character is
// none of Base64. Returns whether all were taken.
template <class Take>
bool each_base64_byte(std::string_view v, Take&& take) {
  std::uint32_t bits = 0;
  std::size_t held = 0;
  for (const char c : v) {
    const int digit = base64_digit(c);
    if (digit < 0) return false;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    if (!take(static_cast<char>(bits >> held & 0xFF))) return false;
  }
  return true;
}
// Returns whether the value is Base64 of "user:password".
bool is_encoded_pair(std::string_view value);
// Returns whether the value has "://".
bool has_scheme(std::string_view value, LookAhead& ahead);

}  // namespace memd::redaction
