#pragma once

#include "store/text/redaction/secret_pattern.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

// Values that stand beside a telling name: `password=…`, `"apiKey": "…"`, `--token …`, `<secret>…</secret>`,
// "the password for staging is …". Pure; every thread may call these.
namespace memd::redaction {

// What a name promises of its value.
enum class Promise : std::uint8_t {
  none,
  password,        // what a person chose
  short_password,  // the same; but the name is a word of other things, too
  key,             // random characters
  maybe_key,       // names of other keys end so, too
};

// The name that ends with a word that was found, [word_begin, word_end).
struct TellingName {
  std::size_t begin = 0;
  std::size_t end = 0;
  Promise promise = Promise::none;
};
TellingName telling_name(std::string_view text, std::size_t word_begin, std::size_t word_end);

// The value of a name. `doubtful` is set when something stands behind the name as a value would.
Secret named_value(std::string_view text, const TellingName& name, bool& doubtful);

// Stands for a secret without being one: "<your key>", "$VAR", "xxx", "process.env.X", "[redacted:…]".
bool is_placeholder(std::string_view value);
// Characters without words in them, `least` or more.
bool is_random(std::string_view value, std::size_t least);
// Something a person may have chosen, where it is known to be a password: not a placeholder.
bool is_password(std::string_view value);
// The same, and no plain word.
bool is_chosen_password(std::string_view value);
// Base64 of "user:password".
bool is_encoded_pair(std::string_view value);
// The share of letters and digits that are in what could be words: "user_token2" has many, "x7Kq2vR9" none.
double wordiness(std::string_view value);
// Bits a character.
double entropy(std::string_view value);

}  // namespace memd::redaction
