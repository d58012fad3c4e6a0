#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memd::mcp {

// A URI template of RFC 6570, level 1: literal text and {name}. Immutable.
class UriTemplate {
 public:
  // Throws ErrorException when a brace is not closed or two variables touch.
  explicit UriTemplate(std::string text);

  using Values = std::vector<std::pair<std::string, std::string>>;  // name, decoded value

  const std::string& text() const { return text_; }
  // The variables of a URI of this form, decoded and not empty. nullopt: the URI has another form. Accepts values with
  // characters that should have been encoded, slashes too: some clients do not encode.
  std::optional<Values> match(std::string_view uri) const;

 private:
  struct Piece {
    std::string literal;
    std::string name;  // of the variable behind it; empty at the end
  };
  std::string text_;
  std::vector<Piece> pieces_;
};

// Everything but letters, digits and -._~ as %XX.
std::string percent_encoded(std::string_view text);
// nullopt for a % without two hexadecimal digits.
std::optional<std::string> percent_decoded(std::string_view text);

}  // namespace memd::mcp
