#include "bench/continuity/constraints.hpp"

#include "bench/continuity/code_terms.hpp"
#include "schemas/ascii.hpp"
#include "store/text/stop_words.hpp"
#include "store/text/text_units.hpp"

#include <algorithm>
#include <array>

namespace memd::bench {
namespace {

constexpr std::size_t kStem = 5;
constexpr std::size_t kFewestWords = 3;
constexpr std::size_t kMostWords = 40;

constexpr std::array<std::string_view, 28> kCues{
    " don't ",    " dont ",      " do not ", " never ",   " always ",    " must ",    " only ",
    " instead ",  " make sure ", " ensure ", " should ",  " shouldn't ", " without ", " avoid ",
    " keep ",     " prefer ",    " use ",    " no need ", " not ",       " rather ",  " need to ",
    " needs to ", " have to ",   " i want ", " i don't ", " please ",    " we want ", " can't "};

std::set<std::string> subject_words(std::string_view text) {
  std::set<std::string> out;
  std::string word;
  const auto finish = [&] {
    if (word.size() > 2 && !search::is_stop_word(word)) out.insert(word.substr(0, kStem));
    word.clear();
  };
  for (const char c : text) {
    if (ascii::is_alnum(c) || ascii::is_beyond(c))
      word += ascii::lower(c);
    else if (c != '\'')
      finish();
  }
  finish();
  return out;
}

bool has_cue(std::string_view sentence) {
  std::string lower = " ";
  for (const char c : sentence)
    lower += ascii::is_alnum(c) || c == '\'' ? ascii::lower(c) : ' ';
  lower += ' ';
  return std::any_of(kCues.begin(), kCues.end(),
                     [&](std::string_view cue) { return lower.find(cue) != std::string::npos; });
}

bool covers(const std::set<std::string>& words, const Constraint& constraint) {
  const auto shared = static_cast<std::size_t>(std::count_if(constraint.words.begin(), constraint.words.end(),
                                                             [&](const std::string& w) { return words.contains(w); }));
  return shared >= kFewestWords && shared * 10 >= constraint.words.size() * 6;
}

}  // namespace

std::vector<Constraint> find_constraints(std::string_view prompt) {
  std::vector<Constraint> out;
  for (const TextUnit& unit : split_units(prompt)) {
    if (unit.kind != UnitKind::sentence && unit.kind != UnitKind::bullet) continue;
    Constraint c{ascii::one_line(unit.text), subject_words(unit.text)};
    if (c.words.size() >= kFewestWords && c.words.size() <= kMostWords && has_cue(c.sentence))
      out.push_back(std::move(c));
  }
  return out;
}

bool restates(std::string_view text, const Constraint& constraint) {
  for (const TextUnit& unit : split_units(text))
    if (unit.kind != UnitKind::code && covers(subject_words(unit.text), constraint)) return true;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (covers(subject_words(text.substr(at, end - at)), constraint)) return true;
    at = end + 1;
  }
  return false;
}

}  // namespace memd::bench
