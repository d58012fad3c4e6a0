#include "store/text/redaction/forgotten_text.hpp"

#include "schemas/base/hash.hpp"
#include "store/text/redaction/escaped_text.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace memd::redaction {
namespace {

constexpr std::size_t kDigestDigits = 32;
constexpr int kDeepestEscapes = 4;  // JSON in JSON in …

}  // namespace

ForgottenTexts::ForgottenTexts(std::string key, std::vector<TextToken> tokens)
    : key_(std::move(key)), multiplier_(hash64(key_) | 1), tokens_(std::move(tokens)) {
  for (const TextToken& token : tokens_)
    starts_.set(token.start);
}

std::uint16_t ForgottenTexts::start_of(std::string_view text) const {
  std::uint64_t word = 0;
  std::memcpy(&word, text.data(), sizeof word);
  return static_cast<std::uint16_t>((word * multiplier_) >> 48);
}

std::string ForgottenTexts::digest_of(std::string_view text) const {
  return sha256_hex(key_ + 'w' + std::string(text)).substr(0, kDigestDigits);
}

TextToken ForgottenTexts::token_of(std::string_view text) const {
  return {text.size(), start_of(text), digest_of(text)};
}

void ForgottenTexts::find(std::string_view text, std::vector<Secret>& out) const {
  static_assert(kShortestForgotten >= sizeof(std::uint64_t));
  if (tokens_.empty()) return;
  for (std::size_t at = 0; at + kShortestForgotten <= text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    const std::uint16_t start = start_of(rest);
    if (!starts_.test(start)) continue;
    const auto found = std::find_if(tokens_.begin(), tokens_.end(), [&](const TextToken& token) {
      return token.start == start && token.length <= rest.size() &&
             token.digest == digest_of(rest.substr(0, token.length));
    });
    if (found != tokens_.end()) out.push_back({at, at + found->length, kForgotten});
  }
}

void ForgottenTexts::find_escaped(std::string_view line, std::vector<Secret>& out, std::set<std::string>* texts) const {
  if (tokens_.empty()) return;
  std::vector<Secret> found;
  const auto look_into = [&](const std::string& text) {
    found.clear();
    find(text, found);
    for (const Secret& s : found)
      if (texts != nullptr) texts->insert(text.substr(s.begin, s.end - s.begin));
  };
  std::string text(line);
  look_into(text);
  out.insert(out.end(), found.begin(), found.end());
  std::vector<std::uint32_t> place;  // of each byte of the layer before in the line
  Unescaped layer;
  for (int depth = 0; depth < kDeepestEscapes && text.find('\\') != std::string::npos; ++depth) {
    unescape(text, layer);
    if (!layer.changed) return;
    if (!place.empty())
      for (auto& origin : layer.origin)
        origin = place[origin];
    look_into(layer.text);
    for (const Secret& s : found)
      out.push_back({layer.origin[s.begin], layer.origin[s.end], s.kind});
    place.swap(layer.origin);
    text.swap(layer.text);
  }
}

}  // namespace memd::redaction
