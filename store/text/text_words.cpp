#include "store/text/text_words.hpp"

#include "schemas/base/ascii.hpp"
#include "store/text/script.hpp"
#include "store/text/words.hpp"

namespace memd {
namespace {

struct Place {
  std::size_t begin = 0;
  std::size_t end = 0;
  tokenizer::Script script = tokenizer::Script::other;
  bool is_word = false;
};

Place place_at(std::string_view text, std::size_t at) {
  Place out;
  out.begin = out.end = at;
  const std::uint32_t character = tokenizer::next_character(text, out.end);
  out.is_word = tokenizer::is_word_character(character);
  out.script = tokenizer::script_of(character);
  return out;
}

}  // namespace

void for_each_word(std::string_view text, const std::function<void(const TextWord&)>& f) {
  const auto give = [&](std::size_t begin, std::size_t end, bool is_pair) {
    f({tokenizer::small_cyrillic(ascii::lowered(text.substr(begin, end - begin))), begin, is_pair});
  };
  for (std::size_t at = 0; at < text.size();) {
    Place here = place_at(text, at);
    at = here.end;
    if (!here.is_word) continue;
    const auto goes_on = [&](Place& next) {
      if (at == text.size()) return false;
      next = place_at(text, at);
      return next.is_word && tokenizer::is_paired(next.script) == tokenizer::is_paired(here.script);
    };
    Place next;
    if (!tokenizer::is_paired(here.script)) {
      while (goes_on(next))
        at = next.end;
      give(here.begin, at, false);
      continue;
    }
    const auto is_hiragana = [](const Place& place) { return place.script == tokenizer::Script::hiragana; };
    bool alone = true;
    for (; goes_on(next); here = next, at = next.end, alone = false)
      if (!is_hiragana(here) || !is_hiragana(next)) give(here.begin, next.end, true);
    if (alone && !is_hiragana(here)) give(here.begin, here.end, true);
  }
}

std::size_t content_words(std::string_view text) {
  std::size_t words = 0;
  std::size_t pairs = 0;
  for_each_word(text, [&](const TextWord& word) {
    if (word.is_pair)
      ++pairs;
    else if (word.text.size() > 1 && !is_stop_word(word.text))
      ++words;
  });
  return words + pairs / 2;
}

}  // namespace memd
