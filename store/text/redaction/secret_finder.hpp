#pragma once

#include "store/text/redaction/literal_scan.hpp"
#include "store/text/redaction/secret_forms.hpp"
#include "store/text/redaction/secret_pattern.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memd::redaction {

// How secrets of one kind are found: a section of a data file.
struct SecretRule {
  enum class Check : std::uint8_t { none, digit, password, chosen, random, pair };

  std::string kind;
  std::vector<SecretPattern> patterns;
  std::vector<std::pair<Form, std::string>> forms;  // with the literal that shows it
  std::vector<std::string> near;                    // one of these stands shortly before, in any case
  Check check = Check::digit;
  double least_entropy = 0;
  std::vector<std::string> examples;  // patterns; the secret is in braces
  std::vector<std::string> misses;    // nothing is found in these
};

// Reads data files; secrets.rules describes their format. Throws std::logic_error, which names the line, where one is
// not well formed.
std::vector<SecretRule> read_secret_rules(std::span<const std::string_view> files);

// Finds the secrets of a text: what rules describe, what stands beside a telling name (named_value.hpp), and tokens
// that name themselves. One pass looks for the words by which all of them are known; nothing else is done where none
// stands. Constant after construction; every thread may ask.
class SecretFinder {
 public:
  explicit SecretFinder(std::vector<SecretRule> rules, LiteralSieve::Form form = LiteralSieve::forms().back());

  // What else a pass has seen.
  struct Signs {
    struct Doubt {
      std::size_t at = 0;
      bool is_long = false;  // a block of many lines may begin here
    };
    std::vector<Doubt> doubts;    // where something may be a secret, once escape sequences are resolved
    bool may_be_private = false;  // the word "private"
  };
  // Appends the secrets, in no order; they may overlap.
  void find(std::string_view text, std::vector<Secret>& out, Signs& signs) const;

  const std::vector<SecretRule>& rules() const { return rules_; }

 private:
  // What a literal is a sign of.
  struct Sign {
    enum class What : std::uint8_t { pattern, form, name, query_name, private_mark } what{};
    std::uint32_t rule = 0;
    std::uint32_t pattern = 0;
    Form form{};
  };
  // A pattern that begins with a long run of letters and digits. The run is held here, so that the many runs of a text
  // are looked at without a walk through the rules.
  struct RunSign {
    SecretPattern::Run run;
    std::uint32_t rule = 0;
    std::uint32_t pattern = 0;
  };
  void add(LiteralScan::Literal literal, Sign sign);
  void at_literal(std::string_view text, std::size_t begin, std::size_t literal, std::vector<Secret>& out,
                  Signs& signs) const;
  bool fits(const SecretRule& rule, std::string_view text, const Secret& secret) const;
  void in_long_run(std::string_view text, std::size_t begin, std::size_t end, std::vector<Secret>& out) const;

  std::vector<SecretRule> rules_;
  std::vector<LiteralScan::Literal> literals_;
  std::vector<std::vector<Sign>> signs_;  // by literal
  std::vector<RunSign> of_runs_;
  std::optional<LiteralScan> scan_;
};

// Of the data files that are part of the program.
const SecretFinder& secret_finder();

}  // namespace memd::redaction
