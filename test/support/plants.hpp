#pragma once

#include "schemas/base/ascii.hpp"
#include "schemas/base/hash.hpp"
#include "test/support/canaries.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace memd::test {

inline std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto at = [&](std::size_t n) { return i + n < bytes.size() ? static_cast<unsigned char>(bytes[i + n]) : 0U; };
    const unsigned bits = at(0) << 16 | at(1) << 8 | at(2);
    for (unsigned n = 0; n < 4; ++n)
      out += i + n > bytes.size() ? '=' : kDigits[bits >> (18 - 6 * n) & 63];
  }
  return out;
}

// A text with a secret in one of the shapes of test/secrets/shapes.txt.
struct Plant {
  std::string group;
  std::string kind;
  bool aside = false;  // no rule was made for this kind
  std::string text;
  std::vector<std::string> pieces;  // of the secret; none of them may survive redaction
};

// Generates plants. The same seed gives the same texts.
class Plants {
 public:
  explicit Plants(unsigned seed) : filler_(seed) {}

  static constexpr std::array<std::string_view, 2> kLists{"shapes.txt", "second_shapes.txt"};

  // `each` of every line of a list.
  std::vector<Plant> make(std::size_t each, std::string_view list = kLists[0]) {
    std::vector<Plant> out;
    for (const std::string& line : Canaries::lines_of(source_dir() / "test/secrets" / list))
      for (std::size_t i = 0; i < each; ++i)
        out.push_back(plant(line));
    return out;
  }

  // The text in a record of a log, as agents write them.
  static std::string in_record(std::string_view text) {
    return "{\"type\":\"user\",\"text\":\"" + escaped(text) + "\"}";
  }

  static bool is_aside(const std::string& kind) {
    constexpr std::string_view kOdd = "13579bdf";
    return kOdd.find(sha256_hex("shapes:" + kind)[1]) != std::string_view::npos;
  }

  static bool survives(const Plant& plant, const std::string& text) {
    return std::any_of(plant.pieces.begin(), plant.pieces.end(),
                       [&](const std::string& piece) { return text.find(piece) != std::string::npos; });
  }

 private:
  static constexpr std::size_t kLeastPiece = 6;

  Plant plant(const std::string& line) {
    const auto group = line.find(' ');
    const auto kind = line.find(' ', group + 1);
    Plant out;
    out.group = line.substr(0, group);
    out.kind = line.substr(group + 1, kind - group - 1);
    out.aside = is_aside(out.kind);
    std::string_view pattern = std::string_view(line).substr(kind + 1);
    std::string_view change;
    if (pattern.front() == '@') {
      change = pattern.substr(0, pattern.find(' '));
      pattern.remove_prefix(change.size() + 1);
    }
    Filler::Text filled = filler_.fill(pattern);
    for (const auto& [sign, meant] : kSigns)
      for (std::size_t at = filled.text.find(sign); at != std::string::npos; at = filled.text.find(sign, at))
        filled.text.replace(at, sign.size(), meant);
    out.text = filled.text;
    const std::size_t at = out.text.find(filled.secret);
    if (change == "@base64") {
      out.text = base64(out.text);
      const std::size_t begin = (at + 2) / 3 * 4;
      out.pieces = {out.text.substr(begin, (at + filled.secret.size()) / 3 * 4 - begin)};
      return out;
    }
    std::string secret = filled.secret;
    if (!change.empty()) {
      secret.insert(secret.size() / 2, change == "@ansi" ? "\x1b[1m" : "\xE2\x80\x8B");
      out.text.replace(at, filled.secret.size(), secret);
    }
    out.pieces = pieces_of(secret);
    return out;
  }

  static std::vector<std::string> pieces_of(const std::string& secret) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < secret.size();) {
      std::size_t end = i;
      while (end < secret.size() && ascii::is_alnum(secret[end]))
        ++end;
      // Letters alone are the name of a kind.
      const std::string piece = secret.substr(i, end - i);
      if (piece.size() >= kLeastPiece && std::any_of(piece.begin(), piece.end(), ascii::is_digit)) out.push_back(piece);
      i = end + 1;
    }
    if (out.empty()) out.push_back(secret);
    return out;
  }

  static std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
      if (c == '"' || c == '\\')
        out += '\\', out += c;
      else if (c == '\n')
        out += "\\n";
      else if (c == '\t')
        out += "\\t";
      else if (static_cast<unsigned char>(c) < ' ')
        out += c == '\x1b' ? "\\u001b" : "\\u0000";
      else
        out += c;
    }
    return out;
  }

  // Signs that the file has in place of those that nobody sees.
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kSigns{
      {{"␛", "\x1b"}, {"␀", std::string_view("\0", 1)}, {"␣", "\xC2\xA0"}}};

  Filler filler_;
};

}  // namespace memd::test
