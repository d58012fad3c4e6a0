#include "store/insight/continuity/sentences.hpp"

#include "schemas/base/ascii.hpp"
#include "store/text/cue_matcher.hpp"
#include "store/text/script.hpp"
#include "store/text/text_units.hpp"

#include <algorithm>

namespace memd::continuity {

std::string normalized_sentence(std::string_view sentence) {
  std::string out = " ";
  for (const char c : sentence) {
    if (ascii::is_alnum(c) || c == '\'' || ascii::is_non_ascii(c))
      out += ascii::lower(c);
    else if (out.back() != ' ')
      out += ' ';
  }
  if (out.back() != ' ') out += ' ';
  return tokenizer::small_cyrillic(out);
}

std::ptrdiff_t words_in(std::string_view normalized) {
  std::ptrdiff_t pairs = 0;
  for (std::size_t at = 0; at < normalized.size();) {
    const auto script = tokenizer::script_of(tokenizer::next_character(normalized, at));
    pairs += tokenizer::is_paired(script) && script != tokenizer::Script::hangul ? 1 : 0;
  }
  return std::count(normalized.begin(), normalized.end(), ' ') - 1 + pairs / 2;
}

void for_each_sentence(std::string_view text, std::size_t shortest, std::size_t longest,
                       const std::function<void(std::string_view)>& f) {
  for (const TextUnit& unit : split_units(text)) {
    if (unit.kind != UnitKind::sentence && unit.kind != UnitKind::bullet) continue;
    if (unit.text.size() >= shortest && unit.text.size() <= longest) f(unit.text);
  }
}

bool announces(std::string_view sentence) {
  const auto last = sentence.find_last_not_of("*_`\"' ");
  return last != std::string_view::npos && sentence[last] == ':';
}

bool refers_back(std::string_view sentence) {
  const auto first = sentence.find_first_not_of("*-• ");
  return first != std::string_view::npos && cues().opening(sentence.substr(first), Cue::refers_back).has_value();
}

bool is_continue_prompt(std::string_view prompt) {
  constexpr std::size_t kLongestGoAhead = 60;
  if (prompt.size() > kLongestGoAhead) return false;
  const auto words = words_in(normalized_sentence(prompt));
  return words <= 2 || (words <= 7 && cues().has(prompt, Cue::go_ahead));
}

}  // namespace memd::continuity
