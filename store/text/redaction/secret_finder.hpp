#pragma once

#include "store/text/redaction/bare_token.hpp"
#include "store/text/redaction/literal_scan.hpp"
#include "store/text/redaction/look_ahead.hpp"
#include "store/text/redaction/secret_forms.hpp"
#include "store/text/redaction/secret_pattern.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memd::redaction {

// The rule for one kind of secret: a section of a data file.
struct SecretRule {
  enum class Check : std::uint8_t { none, digit, password, chosen, random, token, pair };

  std::string kind;
  std::vector<SecretPattern> patterns;
  std::vector<std::pair<Form, std::string>> forms;  // with its literal
  std::vector<std::string> near;                    // one of these occurs shortly before, in any letter case
  Check check = Check::digit;
  bool takes_argument = false;  // of a command line
  double least_entropy = 0;
  std::vector<SecretPattern> kept;    // identifiers, which are no secrets; each begins with its anchor
  std::vector<std::string> examples;  // patterns; the secret is in braces
  std::vector<std::string> misses;    // nothing is found in these
};

// Parses data files; secrets.rules describes their format. Throws std::logic_error, which names the line, for a
// malformed line.
std::vector<SecretRule> read_secret_rules(std::span<const std::string_view> files);

// Finds the secrets in a text: matches of the rules, values of sensitive names (named_value.hpp), and tokens with a
// vendor's prefix. One pass searches for the literals of all of them. Only the surroundings of a literal are examined
// further. Constant after construction; thread-safe.
class SecretFinder {
 public:
  explicit SecretFinder(std::vector<SecretRule> rules, LiteralSieve::Form form = LiteralSieve::forms().back());

  // What a pass found besides secrets, and what the next part of the text has to know of it.
  struct Signs {
    struct Doubt {
      std::size_t at = 0;
      bool is_long = false;    // a block of many lines may begin here
      bool is_veiled = false;  // the text is to be read otherwise, too (veiled_text.hpp)
      bool in_array = false;   // likewise, as an array of arguments
    };
    std::vector<Doubt> doubts;    // places of possible secrets that need their escape sequences resolved
    bool may_be_private = false;  // the text contains the word "private"
    std::size_t looked_at = 0;    // bytes examined for the ends of values
    std::size_t behind_name = 0;  // the end of the last sensitive name
    std::size_t base64_end = 0;   // of the last encoded text that was looked into
    int depth = 0;                // of texts that are encoded in others
    std::size_t of_file = std::string_view::npos;  // where a file is opened that is there for secrets
  };
  // Appends the secrets, unordered; they may overlap.
  void find(std::string_view text, std::vector<Secret>& out, Signs& signs) const;

  // Calls sign(begin) for each place that find() would examine. A text without any has no secret, and no other Signs.
  // Texts that are joined by line ends have their signs at the same places as by themselves.
  template <class F>
  void each_sign(std::string_view text, F&& sign) const {
    for (const Scan& scan : scans_)
      scan.scan.each(text, [&](std::size_t begin, std::size_t /*literal*/) { sign(begin); });
    each_long_run<kShortRun>(text, [&](std::size_t begin, std::size_t end) {
      if (end - begin >= kLongRun || may_be_lone_word(text, begin, end)) sign(begin);
    });
  }

  const std::vector<SecretRule>& rules() const { return rules_; }

 private:
  // A use of a literal.
  struct Sign {
    enum class What : std::uint8_t { pattern, form, name, query_name, private_mark, veil } what{};
    std::uint32_t rule = 0;
    std::uint32_t pattern = 0;
    Form form{};
    bool tells_call = false;  // a name that a function that takes a secret has in its name
  };
  // A pattern that begins with a long run of letters and digits, of at least this length.
  struct RunSign {
    std::size_t least = 0;
    std::uint32_t rule = 0;
    std::uint32_t pattern = 0;
  };
  static constexpr std::size_t kMostRunSigns = 64;
  void add(LiteralScan::Literal literal, Sign sign);
  void add_run(const SecretPattern::Run& run, std::uint32_t rule, std::uint32_t pattern);
  void at_literal(std::string_view text, std::size_t begin, std::size_t literal, LookAhead& ahead,
                  std::vector<Secret>& out, Signs& signs) const;
  bool fits(const SecretRule& rule, std::string_view text, const Secret& secret, LookAhead& ahead) const;
  void match_runs(std::string_view text, std::size_t begin, std::size_t end, LookAhead& ahead,
                  std::vector<Secret>& out) const;
  void in_long_run(std::string_view text, std::size_t begin, std::size_t end, LookAhead& ahead,
                   std::vector<Secret>& out, Signs& signs) const;
  bool find_in_base64(std::string_view text, std::size_t begin, std::size_t end, LookAhead& ahead,
                      std::vector<Secret>& out, Signs& signs) const;
  // Returns the end of the identifier that begins at `at`; `at` if none does.
  std::size_t identifier_at(std::string_view text, std::size_t at, LookAhead& ahead) const;

  std::vector<SecretRule> rules_;
  std::vector<LiteralScan::Literal> literals_;
  std::vector<std::vector<Sign>> signs_;  // by literal
  // The many runs of a text are checked without iterating over the patterns: bit i of what a byte has tells of sign i.
  std::vector<RunSign> of_runs_;
  using SignsOfByte = std::array<std::uint64_t, 256>;
  SignsOfByte first_of_run_{};  // the run may begin with this byte
  SignsOfByte before_run_{};    // the byte may be in front of it; 0: nothing is
  SignsOfByte behind_run_{};
  std::vector<SecretPattern> identifiers_;  // kept by any rule
  // Many literals in one sieve let most places through, so that each scan has a part of them.
  struct Scan {
    LiteralScan scan;
    std::vector<std::size_t> literals;  // by index in the scan
  };
  std::vector<Scan> scans_;
};

// Returns the finder for the data files embedded in the program.
const SecretFinder& secret_finder();

}  // namespace memd::redaction
