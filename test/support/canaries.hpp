#pragma once

#include "store/text/redaction/secret_pattern.hpp"
#include "test/support/source_dir.hpp"

#include <array>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace memd::test {

// Fills the patterns of data files with random characters, so that no file contains a secret. The same seed gives the
// same texts.
class Filler {
 public:
  explicit Filler(unsigned seed) : engine_(seed) {}

  struct Text {
    std::string text;
    std::string secret;  // between the pattern's braces, or its argument; the whole text if the pattern has neither
  };
  Text fill(const redaction::SecretPattern& pattern) {
    using Part = redaction::SecretPattern::Part;
    Text out;
    bool marked = false;
    bool inside = false;
    const auto add = [&](const std::string& s) {
      out.text += s;
      if (inside) out.secret += s;
    };
    for (const Part& part : pattern.parts())
      switch (part.what) {
        case Part::What::literal: add(part.text); break;
        case Part::What::chars: add(some_of(part)); break;
        case Part::What::gap: add(" x"); break;
        case Part::What::open: inside = marked = true; break;
        case Part::What::close: inside = false; break;
        case Part::What::argument:
          out.secret = "q7" + random(kAlnum, 10);
          out.text += out.secret;
          marked = true;
          break;
      }
    if (!marked) out.secret = out.text;
    return out;
  }
  Text fill(std::string_view pattern) { return fill(redaction::SecretPattern(pattern, false)); }

  std::size_t below(std::size_t n) { return engine_() % n; }

 private:
  static constexpr std::string_view kAlnum = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

  std::string random(std::string_view alphabet, std::size_t n) {
    std::string out;
    for (std::size_t i = 0; i < n; ++i)
      out += alphabet[below(alphabet.size())];
    return out;
  }
  std::string some_of(const redaction::SecretPattern::Part& part) {
    std::string alphabet;
    for (const char c : kAlnum)
      if (part.set.test(static_cast<unsigned char>(c))) alphabet += c;
    // Allows punctuation in long secrets whose character set includes it.
    std::string signs = alphabet;
    for (const char c : std::string_view("_-+/"))
      if (part.set.test(static_cast<unsigned char>(c)) && part.least > 12) signs += c;
    if (alphabet.empty()) alphabet = signs = part.set.test(' ') ? " " : "\"";
    const std::size_t n = part.least;
    std::string out = random(signs, n);
    // Real secrets contain digits and letters; a short random one may not.
    for (std::size_t i = 0; i < n; i += std::max<std::size_t>(n - 1, 1))
      out[i] = alphabet[below(alphabet.size())];
    const auto put = [&](std::size_t at, char c) {
      if (n >= 4 && part.set.test(static_cast<unsigned char>(c))) out[at] = c;
    };
    put(n / 2, '7');
    put(n / 3, '4');
    put(n / 4, 'q');
    return out;
  }

  std::mt19937 engine_;
};

// A credential as found in a text.
struct Canary {
  std::string kind;
  bool aside = false;  // the kind was held out while rules were written (test/secrets/kinds.txt)
  bool bare = false;   // the text does not name the secret
  std::string text;
  std::vector<std::string> pieces;  // the lines of the secret; none of them may survive redaction
};

// Generates `each` canaries for every format in test/secrets/formats.txt, in turn in each of the settings in which
// people leave credentials.
class Canaries {
 public:
  explicit Canaries(unsigned seed) : filler_(seed) {
    for (const std::string& line : lines_of(source_dir() / "test/secrets/kinds.txt")) {
      const auto blank = line.find(' ');
      aside_[line.substr(0, blank)] = line.substr(blank + 1) == "aside";
    }
    formats_ = lines_of(source_dir() / "test/secrets/formats.txt");
  }

  std::size_t kinds() const { return aside_.size(); }

  std::vector<Canary> make(std::size_t each) {
    std::vector<Canary> out;
    std::size_t setting = 0;
    for (const std::string& line : formats_)
      for (std::size_t i = 0; i < each; ++i)
        out.push_back(canary(line, setting++));
    return out;
  }

  static std::vector<std::string> lines_of(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::vector<std::string> out;
    for (std::string line; std::getline(in, line);)
      if (!line.empty() && line[0] != '#') out.push_back(line);
    if (out.empty()) throw std::runtime_error("nothing in " + file.string());
    return out;
  }

 private:
  Canary canary(const std::string& line, std::size_t setting) {
    const auto blank = line.find(' ');
    Canary out;
    out.kind = line.substr(0, blank);
    out.aside = aside_.at(out.kind);
    const std::string format = line.substr(blank + 1);
    std::string secret;
    if (format.starts_with("text ")) {
      const Filler::Text filled = filler_.fill(std::string_view(format).substr(5));
      out.text = filled.text;
      secret = filled.secret;
    } else {
      const auto equals = format.find('=');
      const std::string name = format.substr(0, equals);
      const std::string value = format.substr(equals + 1);
      secret = filler_.fill(std::string_view(value)).text;
      // A secret without a name can only be recognised by a prefix of its own.
      const bool has_prefix = value.find('<') >= 3;
      out.bare = setting % 10 == 9 && has_prefix;
      out.text = in_setting(out.bare ? 9 : setting % 9, name, secret);
    }
    std::istringstream pieces(secret);
    for (std::string piece; std::getline(pieces, piece);) {
      for (const char* sign : {"\"", ",", "# ", "// "})
        while (piece.find(sign) != std::string::npos)
          piece.erase(piece.find(sign), std::string_view(sign).size());
      if (const auto colon = piece.rfind(':'); out.kind.starts_with("private_key") && colon != std::string::npos)
        piece.erase(0, colon + 1);
      if (!piece.empty()) out.pieces.push_back(piece);
    }
    return out;
  }

  static std::string small(std::string name, char joint) {
    for (char& c : name)
      c = c == '_' ? joint : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return name;
  }
  static std::string camel(const std::string& name) {
    std::string out;
    for (std::size_t i = 0; i < name.size(); ++i) {
      if (name[i] == '_') continue;
      out +=
          i > 0 && name[i - 1] == '_' ? name[i] : static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
    }
    return out;
  }

  static std::string in_setting(std::size_t setting, const std::string& name, const std::string& value) {
    switch (setting) {
      case 0: return "export " + name + "=" + value + "\nmake deploy";
      case 1: return name + "=\"" + value + "\"\nDEBUG=1";
      case 2: return "{\"" + camel(name) + "\": \"" + value + "\", \"n\": [1, 2]}";
      case 3: return "service:\n  " + small(name, '_') + ": " + value + "\n  retries: 3\n";
      case 4: return "curl -H \"Authorization: Bearer " + value + "\" https://api.example.com/<x>&y";
      case 5: return "const " + camel(name) + " = '" + value + "';\nrun(" + camel(name) + ");";
      case 6: return "tool login --" + small(name, '-') + " " + value + " --verbose";
      case 7: return "https://api.example.com/v1/items?page=2&" + small(name, '_') + "=" + value + "&n=3";
      case 8: return "Sure. My " + small(name, ' ') + " is " + value + ", use it for the tests.";
      default: return "It answered 401 with " + value + " and 200 without.";
    }
  }

  std::map<std::string, bool> aside_;
  std::vector<std::string> formats_;
  Filler filler_;
};

}  // namespace memd::test
