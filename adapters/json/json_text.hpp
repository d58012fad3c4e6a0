#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

// Strings of JSON as they stand in the source, and what they mean. They are unescaped here because simdjson refuses the
// lone surrogates that stand in cut tool output. Pure functions.
namespace memd::json {

inline constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

// Appends the meaning of `body` (a JSON string without its quotes), at most `limit` bytes and never part of a
// character. Lone surrogates become U+FFFD; an unknown escape stands for its letter. True if something was replaced.
bool append_unescaped(std::string_view body, std::string& out, std::size_t limit = kNoLimit);

// A token is the raw text of a scalar, or "{" / "[" for the start of a container. Empty: the key is not there.
inline bool is_string(std::string_view token) { return token.size() >= 2 && token.front() == '"'; }
inline std::string_view string_body(std::string_view token) {
  return is_string(token) ? token.substr(1, token.size() - 2) : std::string_view{};
}
std::string unescaped(std::string_view token);  // what a string means; empty for other tokens
inline bool is_true(std::string_view token) { return token == "true"; }
inline bool is_number(std::string_view token) {
  return !token.empty() && (token.front() == '-' || (token.front() >= '0' && token.front() <= '9'));
}
std::int64_t integer(std::string_view token);  // 0 unless it is a number; fractions are cut off

// The longest prefix of at most `limit` bytes that does not cut a character.
std::string_view utf8_prefix(std::string_view text, std::size_t limit);

// "%2Fhome" → "/home". What is no escape stays as it is.
std::string percent_decoded(std::string_view text);

// Without white space at both ends: that of ASCII, and the Unicode spaces people paste.
std::string_view trimmed(std::string_view text);

// The first line with runs of blanks as one, at most `limit` bytes ("…" when cut).
std::string one_line(std::string_view text, std::size_t limit);

// Whether a name is fit for ledger and statistics: [A-Za-z0-9_/-]{1,40}.
bool is_identifier(std::string_view text);

// A copy in which bytes that are not UTF-8 and lone surrogate escapes are U+FFFD, and control bytes are spaces: JSON
// that breaks only in its encoding parses then. `replaced`: something other than white space was replaced.
std::string cleaned_json(std::string_view json, bool& replaced);

// How much of a record becomes text: what the store keeps, or all of it (for Adapter::event_text).
enum class Detail : std::uint8_t { stored, full };

// Turns tokens into text and remembers whether characters were replaced on the way. One thread at a time.
class TextReader {
 public:
  explicit TextReader(Detail detail = Detail::stored) : detail_(detail) {}

  // A token's meaning; empty unless it is a string.
  std::string text(std::string_view token, std::size_t limit = kNoLimit) {
    std::string out;
    append_text(token, out, limit);
    return out;
  }
  void append_text(std::string_view token, std::string& out, std::size_t limit = kNoLimit) {
    lossy_ |= append_unescaped(string_body(token), out, limit);
  }

  Detail detail() const { return detail_; }
  bool lossy() const { return lossy_; }
  void mark_lossy() { lossy_ = true; }

 private:
  Detail detail_;
  bool lossy_ = false;
};

}  // namespace memd::json
