#pragma once

#include "store/text/redaction/secret_pattern.hpp"

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

// Texts that a person had removed from the store. Only their lengths and keyed hashes are known.
namespace memd::redaction {

inline constexpr std::string_view kForgotten = "forgotten";  // Secret::kind
inline constexpr std::size_t kShortestForgotten = 8;         // bytes

struct TextToken {
  std::size_t length = 0;   // bytes
  std::uint16_t start = 0;  // keyed hash of its first eight bytes
  std::string digest;       // keyed hash of all of it, hexadecimal
  bool operator==(const TextToken&) const = default;
};

// Finds such texts. Immutable; thread-safe.
class ForgottenTexts {
 public:
  // `key`: secret of the store.
  explicit ForgottenTexts(std::string key, std::vector<TextToken> tokens = {});

  bool is_empty() const { return tokens_.empty(); }
  const std::vector<TextToken>& tokens() const { return tokens_; }
  // The text has at least kShortestForgotten bytes.
  TextToken token_of(std::string_view text) const;

  // Appends the places of the texts, in order. Looks at each byte once; hashes are compared where eight bytes may begin
  // a text.
  void find(std::string_view text, std::vector<Secret>& out) const;
  // Likewise where a text may stand escaped: in a line of a log, in a text that quotes JSON, in JSON in JSON. `texts`
  // receives the texts.
  void find_escaped(std::string_view line, std::vector<Secret>& out, std::set<std::string>* texts = nullptr) const;

 private:
  std::uint16_t start_of(std::string_view text) const;
  std::string digest_of(std::string_view text) const;

  std::string key_;
  std::uint64_t multiplier_ = 1;
  std::vector<TextToken> tokens_;
  std::bitset<1 << 16> starts_;
};

}  // namespace memd::redaction
