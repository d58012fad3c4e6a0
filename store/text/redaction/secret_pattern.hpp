#pragma once

#include "store/text/redaction/look_ahead.hpp"

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::redaction {

// A range of a text to be masked, in bytes.
struct Secret {
  std::size_t begin = 0;
  std::size_t end = 0;  // equal to begin: none
  std::string_view kind;
  explicit operator bool() const { return end > begin; }
};

inline bool is_quote_mark(char c) { return c == '"' || c == '\'' || c == '`'; }

using CharSet = std::bitset<256>;

inline constexpr std::size_t kLongRun = 20;  // letters and digits

// A pattern for secrets, parsed from a line of a data file (store/text/secrets/secrets.rules describes the language).
// Constant after construction; thread-safe.
class SecretPattern {
 public:
  struct Part {
    enum class What : std::uint8_t {
      literal,
      chars,     // `least` to `most` characters of `set`
      argument,  // a word of a shell, quoted or not; its value is the secret
      gap,       // anything within a command, as little as possible
      open,      // start of the secret
      close,     // end of the secret
    };
    What what{};
    std::string text;  // of a literal
    CharSet set;       // of a gap: characters that may follow it
    std::size_t least = 0;
    std::size_t most = 0;
    std::size_t cls = 0;  // number of `set` among the classes
    // Number of parts from here to the next that needs a byte, if no byte of `set` can be that one; else 0. What
    // follows can then match only at the end of a run of `set`.
    std::size_t ends_within = 0;
  };

  // The part of a pattern that texts are searched for before the rest is matched.
  struct Anchor {
    std::string text;        // empty: the pattern has no literal anchor
    std::size_t part = 0;    // the literal it is in
    std::size_t offset = 0;  // in that literal
    bool is_run = false;     // a long run of letters and digits, which begins with `part`
  };

  // Properties of the run that is the anchor.
  struct Run {
    std::size_t least = 0;
    CharSet first;
    std::optional<char> before;  // neither is a letter
    std::optional<char> behind;
  };

  // `any_case`: literals match without regard to case. Throws std::logic_error if the pattern is malformed.
  SecretPattern(std::string_view written, bool any_case);

  // Matches around the anchor found at `at`. Reads no byte before `floor`. `ahead` belongs to the text.
  std::optional<Secret> match(std::string_view text, std::size_t at, std::size_t floor, LookAhead& ahead) const;

  // Returns whether the text around the anchor may match once its escape sequences are resolved.
  bool may_be_escaped(std::string_view text, std::size_t at) const;

  // Returns whether the pattern has an anchor.
  bool can_be_found() const;
  const Anchor& anchor() const { return anchor_; }
  const Run& run() const { return run_; }  // of a pattern whose anchor is one
  bool any_case() const { return any_case_; }
  // Returns whether the pattern is a single word, which looks the same in escaped text. Quotes and line ends of other
  // patterns look different there.
  bool is_word() const { return is_word_; }
  const std::vector<Part>& parts() const { return parts_; }

 private:
  struct Found {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool marked = false;  // by braces or an argument
    std::size_t steps = 0;
  };
  void choose_anchor();
  void choose_run();
  CharSet first_of(const Part& part) const;
  void choose_later();
  bool may_go_on(std::string_view behind) const;
  bool fits_to_backslash(std::string_view text, std::size_t at) const;
  void find_ends();
  bool forward(std::size_t part, std::string_view text, std::size_t at, Found& found, LookAhead& ahead) const;
  bool backward(std::size_t part, std::string_view text, std::size_t& at, std::size_t floor, Found& found,
                LookAhead& ahead) const;
  bool literal_at(const std::string& literal, std::string_view text, std::size_t at) const;

  Run run_at(std::size_t part) const;

  std::vector<Part> parts_;
  Anchor anchor_;
  std::string later_;  // letters and digits that a match has somewhere behind the anchor; may be empty
  Run run_;
  bool any_case_ = false;
  bool is_word_ = true;
};

// Returns whether the word at `begin` is the rest of a longer one. In the JSON text "\nghp_…" the n belongs to the
// escape sequence, like the c of "\u003cghp_…".
bool inside_word(std::string_view text, std::size_t begin, std::size_t floor);

}  // namespace memd::redaction
