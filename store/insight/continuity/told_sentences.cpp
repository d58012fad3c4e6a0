#include "store/insight/continuity/told_sentences.hpp"

#include "schemas/ascii.hpp"
#include "store/insight/continuity/language_cues.hpp"
#include "store/text/script.hpp"
#include "store/text/text_units.hpp"

#include <algorithm>
#include <array>

namespace memd::continuity {

std::string spoken_form(std::string_view sentence) {
  std::string out = " ";
  for (const char c : sentence) {
    if (ascii::is_alnum(c) || c == '\'' || ascii::is_beyond(c))
      out += ascii::lower(c);
    else if (out.back() != ' ')
      out += ' ';
  }
  if (out.back() != ' ') out += ' ';
  return tokenizer::small_cyrillic(out);
}

std::ptrdiff_t words_in(std::string_view spoken) {
  std::ptrdiff_t pairs = 0;
  for (std::size_t at = 0; at < spoken.size();) {
    const auto script = tokenizer::script_of(tokenizer::next_character(spoken, at));
    pairs += tokenizer::is_paired(script) && script != tokenizer::Script::hangul ? 1 : 0;
  }
  return std::count(spoken.begin(), spoken.end(), ' ') - 1 + pairs / 2;
}

bool has_cue(std::string_view spoken, std::span<const std::string_view> cues) {
  return std::any_of(cues.begin(), cues.end(),
                     [&](std::string_view cue) { return spoken.find(cue) != std::string_view::npos; });
}

void for_each_sentence(std::string_view text, std::size_t shortest, std::size_t longest,
                       const std::function<void(std::string_view)>& f) {
  for (const TextUnit& unit : split_units(text)) {
    if (unit.kind != UnitKind::sentence && unit.kind != UnitKind::bullet) continue;
    if (unit.text.size() >= shortest && unit.text.size() <= longest) f(unit.text);
  }
}

bool is_go_ahead(std::string_view prompt) {
  constexpr std::size_t kLongestGoAhead = 60;
  if (prompt.size() > kLongestGoAhead) return false;
  constexpr std::array<std::string_view, 28> kGoAhead{
      " yes ",      " yep ",     " ok ",      " okay ",   " sure ",        " continue ",   " go on ",
      " go ahead ", " proceed ", " do it ",   " thanks ", " commit ",      " push ",       " good ",
      " great ",    " perfect ", " lgtm ",    " next ",   " resume ",      " keep going ", " looks ",
      " y ",        " clear ",   " compact ", " exit ",   " interrupted ", " sounds ",     " nice "};
  const std::string spoken = spoken_form(prompt);
  const auto words = words_in(spoken);
  return words <= 2 || (words <= 7 && (has_cue(spoken, kGoAhead) || has_cue(spoken, cues::kGoOn)));
}

}  // namespace memd::continuity
