#include "store/text/identifiers.hpp"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace memd::enrichment {
namespace {

constexpr std::size_t kShortest = 4;
constexpr std::size_t kLongest = 64;
constexpr std::size_t kMaxParts = 8;

enum class Kind : unsigned char { other, lower, upper, digit, beyond_ascii };

constexpr auto kKinds = [] {
  std::array<Kind, 256> out{};
  for (std::size_t c = 0; c < 256; ++c)
    out[c] = c >= 'a' && c <= 'z'   ? Kind::lower
             : c >= 'A' && c <= 'Z' ? Kind::upper
             : c >= '0' && c <= '9' ? Kind::digit
             : c >= 0x80            ? Kind::beyond_ascii
                                    : Kind::other;
  return out;
}();

Kind kind_of(char c) { return kKinds[static_cast<unsigned char>(c)]; }

bool starts_part(std::string_view word, std::size_t at) {
  if (kind_of(word[at]) != Kind::upper) return false;
  if (kind_of(word[at - 1]) != Kind::upper) return true;
  return at + 1 < word.size() && kind_of(word[at + 1]) == Kind::lower;
}

// Compound, and made of words rather than of chance.
bool is_name(std::string_view word) {
  if (word.size() < kShortest || word.size() > kLongest) return false;
  const auto parts = identifier_parts(word);
  if (parts.size() < 2 || parts.size() > kMaxParts) return false;
  const auto digits = std::count_if(word.begin(), word.end(), [](char c) { return kind_of(c) == Kind::digit; });
  const auto shorts = std::count_if(parts.begin(), parts.end(), [](std::string_view p) { return p.size() < 3; });
  return static_cast<std::size_t>(digits) * 4 <= word.size() && static_cast<std::size_t>(shorts) * 2 <= parts.size();
}

class Collector {
 public:
  void read(std::string_view text) {
    for (std::size_t at = 0; at < text.size() && found_.size() < kMaxIdentifiers;) {
      if (kind_of(text[at]) == Kind::other) {
        ++at;
        continue;
      }
      const std::size_t start = at;
      bool hump = false;
      bool plain = true;
      for (Kind before = Kind::other; at < text.size(); ++at) {
        const Kind kind = kind_of(text[at]);
        if (kind == Kind::other) break;
        hump |= kind == Kind::upper && (before == Kind::lower || before == Kind::digit);
        hump |= kind == Kind::lower && before == Kind::upper && at - start > 1;
        plain &= kind != Kind::beyond_ascii;
        before = kind;
      }
      if (hump && plain) add(text.substr(start, at - start));
    }
  }
  std::vector<std::string> take() { return std::move(found_); }

 private:
  void add(std::string_view word) {
    if (!known_.insert(word).second || !is_name(word)) return;
    found_.emplace_back(word);
  }

  std::vector<std::string> found_;
  std::unordered_set<std::string_view> known_;  // of the texts read
};

}  // namespace

std::vector<std::string_view> identifier_parts(std::string_view word) {
  std::vector<std::string_view> out;
  std::size_t start = 0;
  for (std::size_t at = 1; at <= word.size(); ++at)
    if (at == word.size() || starts_part(word, at)) {
      out.push_back(word.substr(start, at - start));
      start = at;
    }
  return out;
}

std::vector<std::string> extract_identifiers(const ExchangeRow& exchange) {
  Collector collector;
  for (const std::string* text :
       {&exchange.user_message, &exchange.interventions, &exchange.assistant_response, &exchange.tool_text})
    collector.read(*text);
  return collector.take();
}

}  // namespace memd::enrichment
