#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

// JSON strings as written in the source, and their unescaped values. Unescaped here because simdjson rejects the lone
// surrogates that occur in truncated tool output. Pure functions.
namespace memd::json {

inline constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

// Appends the unescaped `body` (a JSON string without its quotes): at most `limit` bytes and only whole characters.
// Lone surrogates become U+FFFD; an unknown escape becomes its letter. Returns true if something was replaced.
bool append_unescaped(std::string_view body, std::string& out, std::size_t limit = kNoLimit);

// A token is the raw text of a scalar, or "{" / "[" for the start of a container. Empty: the key is missing.
inline bool is_string(std::string_view token) { return token.size() >= 2 && token.front() == '"'; }
inline std::string_view string_body(std::string_view token) {
  return is_string(token) ? token.substr(1, token.size() - 2) : std::string_view{};
}
inline bool has_value(std::string_view token) { return !token.empty() && token != "null"; }
std::string unescaped(std::string_view token);  // unescapes a string; empty for other tokens
inline bool is_true(std::string_view token) { return token == "true"; }
inline bool is_number(std::string_view token) {
  return !token.empty() && (token.front() == '-' || (token.front() >= '0' && token.front() <= '9'));
}
std::int64_t integer(std::string_view token);  // 0 unless it is a number; truncates fractions
std::optional<double> fraction(std::string_view token);

// Calls visit(line, bytes, finished) for each line of a log: without its newline, the bytes with it, and whether it has
// one.
template <class Visit>
void for_each_line(std::string_view text, Visit&& visit) {
  while (!text.empty()) {
    const auto newline = text.find('\n');
    const bool finished = newline != std::string_view::npos;
    const std::size_t bytes = finished ? newline + 1 : text.size();
    visit(text.substr(0, newline), bytes, finished);
    text.remove_prefix(bytes);
  }
}

// "%2Fhome" → "/home". Invalid escapes are kept.
std::string percent_decoded(std::string_view text);

// Returns the text without white space at both ends: ASCII white space, and the Unicode spaces that occur in pasted
// text.
std::string_view trimmed(std::string_view text);

// Returns the first line with runs of blanks collapsed, at most `limit` bytes ("…" when truncated).
std::string one_line(std::string_view text, std::size_t limit);

// Returns whether a name may be used in ledger and statistics: [A-Za-z0-9_/-]{1,40}.
bool is_identifier(std::string_view text);

// Returns a copy in which invalid UTF-8 and lone surrogate escapes are U+FFFD and control bytes are spaces. JSON with
// encoding errors only then parses. `replaced`: something other than white space was replaced.
std::string cleaned_json(std::string_view json, bool& replaced);

// The part of a record's text to extract: what the store keeps, or all of it (for Adapter::event_text).
enum class Detail : std::uint8_t { stored, full };

// Converts tokens to text and records whether characters were replaced. One thread at a time.
class TextReader {
 public:
  explicit TextReader(Detail detail = Detail::stored) : detail_(detail) {}

  // Returns the unescaped string; empty for other tokens.
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
