#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::redaction {

// A stretch of a text that is to be masked.
struct Secret {
  std::size_t begin = 0;
  std::size_t end = 0;  // equal to begin: none
  std::string_view kind;
  explicit operator bool() const { return end > begin; }
};

using CharSet = std::bitset<256>;

inline constexpr std::size_t kLongRun = 20;  // letters and digits

// How a secret is written, as a line of a data file says it (store/text/secrets/secrets.rules has the language).
// Constant after construction; every thread may ask.
class SecretPattern {
 public:
  struct Part {
    enum class What : std::uint8_t {
      literal,
      chars,     // `least` to `most` characters of `set`
      argument,  // a word of a shell, in quotes or without; what it says is the secret
      gap,       // anything within a command, as little as possible
      open,      // the secret begins
      close,     // and ends
    };
    What what{};
    std::string text;  // of a literal
    CharSet set;
    std::size_t least = 0;
    std::size_t most = 0;
  };

  // What is found of it in texts by search, before anything else is looked at.
  struct Anchor {
    std::string text;        // empty: it has none
    std::size_t part = 0;    // the literal it is in
    std::size_t offset = 0;  // in that literal
    bool is_run = false;     // a long run of letters and digits, which begins with `part`
  };

  // What is known of the run that is the anchor.
  struct Run {
    std::size_t least = 0;
    CharSet first;
    std::optional<char> before;  // neither is a letter
    std::optional<char> behind;

    // Whether this run, which nothing makes longer, may be it. Spares match().
    bool may_be(std::string_view text, std::size_t begin, std::size_t end) const {
      return end - begin >= least && (!before || (begin > 0 && text[begin - 1] == *before)) &&
             (!behind || (end < text.size() && text[end] == *behind)) &&
             first.test(static_cast<unsigned char>(text[begin]));
    }
  };

  // `any_case`: letters of literals stand for both. Throws std::logic_error where the pattern is not well formed.
  SecretPattern(std::string_view written, bool any_case);

  // The anchor stands at `at`. Looks no further back than `floor`.
  std::optional<Secret> match(std::string_view text, std::size_t at, std::size_t floor) const;

  // What stands around the anchor may be the pattern, with escape sequences in it.
  bool may_be_escaped(std::string_view text, std::size_t at) const;

  // It has an anchor.
  bool can_be_found() const;
  const Anchor& anchor() const { return anchor_; }
  const Run& run() const { return run_; }  // of a pattern whose anchor is one
  bool any_case() const { return any_case_; }
  // A single word, whatever it stands in. Others look different where their quotes and line ends are escaped.
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
  bool forward(std::size_t part, std::string_view text, std::size_t at, Found& found) const;
  bool backward(std::size_t part, std::string_view text, std::size_t& at, std::size_t floor, Found& found) const;
  bool literal_at(const std::string& literal, std::string_view text, std::size_t at) const;

  Run run_at(std::size_t part) const;

  std::vector<Part> parts_;
  Anchor anchor_;
  Run run_;
  bool any_case_ = false;
  bool is_word_ = true;
};

// Whether a word that begins here is the rest of a longer one. In "\nghp_…" of JSON the n belongs to the escape
// sequence, and so does the c of "\u003cghp_…".
bool inside_word(std::string_view text, std::size_t begin, std::size_t floor);

}  // namespace memd::redaction
