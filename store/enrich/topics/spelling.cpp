#include "store/enrich/topics/spelling.hpp"

#include "schemas/ascii.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace memd::topics {

std::string without_capital(std::string_view word) {
  std::string out(word);
  if (out.empty()) return out;
  if (ascii::is_upper(out[0])) {
    if (std::none_of(out.begin() + 1, out.end(), ascii::is_upper)) out[0] = ascii::lower(out[0]);
  } else if (out.size() > 3 && out[0] == '\xD0') {  // А…Я
    const auto next = static_cast<unsigned char>(out[1]);
    if (out[2] == '\xD0' && static_cast<unsigned char>(out[3]) < 0xB0) return out;
    if (next >= 0x90 && next <= 0x9F) {
      out[1] = static_cast<char>(next + 0x20);
    } else if (next >= 0xA0 && next <= 0xAF) {
      out[0] = '\xD1';
      out[1] = static_cast<char>(next - 0x20);
    }
  }
  return out;
}

std::string spelling_of(std::span<const GradedToken> tokens, const Phrase& phrase) {
  const std::size_t n = phrase.key.length();
  std::vector<std::pair<std::string, int>> forms;
  constexpr int kEnough = 24;  // occurrences
  int seen = 0;
  PhraseKey key;
  for (std::size_t i = phrase.first; i + n <= tokens.size() && seen < kEnough; ++i) {
    if (tokens[i].facts.stem != phrase.key.stems[0] || !phrase_at(tokens, i, n, key) || key != phrase.key) continue;
    std::string form;
    for (std::size_t k = 0; k < n; ++k) {
      const ProseToken& t = tokens[i + k].token;
      if (k > 0) form += ' ';
      const bool small = t.capital || (t.shape == TokenShape::word && n > 1 && tokens[i].token.capital);
      form += t.shape == TokenShape::word && small ? without_capital(t.text) : std::string(t.text);
    }
    ++seen;
    const auto it = std::find_if(forms.begin(), forms.end(), [&](const auto& f) { return f.first == form; });
    if (it == forms.end())
      forms.emplace_back(std::move(form), 1);
    else
      ++it->second;
  }
  const auto best =
      std::max_element(forms.begin(), forms.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return best == forms.end() ? std::string() : best->first;
}

}  // namespace memd::topics
