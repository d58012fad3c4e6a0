#include "store/insight/summary/observations.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/hash.hpp"
#include "store/text/cue_matcher.hpp"
#include "store/text/plain_text.hpp"
#include "store/text/text_units.hpp"

#include <algorithm>
#include <optional>

namespace memd {
namespace {

using Type = ObservationType;

constexpr std::size_t kObservationsLongestSentence = 800;  // bytes
constexpr std::size_t kLongestRules = 4096;                // of a message with rules
constexpr std::size_t kFewestWords = 5;

constexpr CueSet kTypes = Cue::bugfix | Cue::discovery | Cue::feature | Cue::pattern | Cue::problem | Cue::refactor |
                          Cue::solution | Cue::warning | Cue::the_problem;

Type type_told_by(Cue cue) {
  switch (cue) {
    case Cue::bugfix: return Type::bugfix;
    case Cue::discovery: return Type::discovery;
    case Cue::feature: return Type::feature;
    case Cue::pattern: return Type::pattern;
    case Cue::refactor: return Type::refactor;
    case Cue::solution: return Type::solution;
    case Cue::warning: return Type::warning;
    default: return Type::problem;
  }
}

// Returns the opening cue of a sentence that starts with a word, not with code or a tag.
std::optional<CueHit> opening_of(std::string_view s, CueSet wanted) {
  if (s.empty() || !(ascii::is_letter(s.front()) || ascii::is_non_ascii(s.front()))) return std::nullopt;
  return cues().opening(s, wanted);
}

// "All 49 tests pass", "All checks passed."
bool states_success(std::string_view plain) {
  constexpr std::size_t kLongest = 160;
  if (plain.size() > kLongest || !opening_of(plain, Cue::tests_told)) return false;
  const CueSet found = cues().find(plain, Cue::tests_pass | Cue::tests_named | Cue::tests_not_yet);
  return found == (Cue::tests_pass | Cue::tests_named);
}

std::size_t words_in(std::string_view s) {
  std::size_t words = 0;
  bool inside = false;
  for (const char c : s) {
    const bool blank = c == ' ' || c == '\t';
    words += !blank && !inside ? 1 : 0;
    inside = !blank;
  }
  return words;
}

// Returns `s` without leading fillers: "I've also successfully ".
std::string_view without_fillers(std::string_view s) {
  for (auto filler = opening_of(s, Cue::filler); filler; filler = opening_of(s, Cue::filler))
    s = ascii::trimmed(s.substr(filler->end));
  return s;
}

// `begins`: the sentence from its first word on; `plain`: the displayed form.
std::optional<Type> type_of(std::string_view begins, std::string_view plain) {
  if (plain.find('?') != std::string_view::npos) return std::nullopt;
  if (states_success(plain)) return Type::success;
  const auto opening = opening_of(begins, kTypes);
  if (!opening || words_in(plain) < kFewestWords || cues().has(plain, Cue::unsure)) return std::nullopt;
  if (opening->cue == Cue::the_problem) {
    const std::string_view told = begins.substr(opening->end);
    if (cues().opening(told.substr(std::min(told.find_first_not_of(" *"), told.size())), Cue::vague))
      return std::nullopt;
  }
  const Type type = type_told_by(opening->cue);
  if (plain.ends_with(':') && type != Type::solution) return std::nullopt;
  if (type == Type::feature && cues().has(plain, Cue::no_feature)) return std::nullopt;
  return type;
}

// Skips leading markers, bold type and backticks; a bold lead ("**Root cause:** …") is then read as words.
std::string_view from_first_word(std::string_view s) {
  std::size_t i = 0;
  while (i < s.size() && !ascii::is_letter(s[i]) && (!ascii::is_non_ascii(s[i]) || i < 16) && s[i] != '<' &&
         s[i] != '`')
    ++i;
  return s.substr(i);
}

// Calls take(sentence) for each sentence of the prose lines.
template <class Take>
void for_each_sentence(std::string_view text, Take&& take) {
  FenceTracker fences;
  while (!text.empty()) {
    const std::string_view line = ascii::take_until(text, '\n');
    const bool was_open = fences.is_open();
    fences.line(line);
    if (was_open || fences.is_open()) continue;
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos || line[first] == '|' || line[first] == '#' || line[first] == '>' ||
        line[first] == '<')
      continue;
    std::size_t begin = first;
    for (std::size_t i = first; i < line.size();) {
      const std::size_t end = may_end_sentence(line[i]) ? sentence_end_at(line, i) : 0;
      if (end == 0) {
        ++i;
        continue;
      }
      take(line.substr(begin, end - begin));
      begin = i = end;
    }
    if (begin < line.size()) take(line.substr(begin));
  }
}

void keep(std::vector<FoundObservation>& found, Type type, std::string plain) {
  while (!plain.empty() && (plain.back() == ':' || plain.back() == ' '))
    plain.pop_back();
  plain = shortened(std::move(plain), kObservationBytes);
  const auto same = [&](const FoundObservation& o) { return o.type == type && o.content == plain; };
  if (std::none_of(found.begin(), found.end(), same)) found.push_back({type, std::move(plain)});
}

}  // namespace

std::vector<FoundObservation> find_observations(std::string_view text) {
  std::vector<FoundObservation> found;
  for_each_sentence(text, [&](std::string_view sentence) {
    if (found.size() == kObservationsPerText || sentence.size() > kObservationsLongestSentence) return;
    if (!opening_of(from_first_word(sentence), kTypes | Cue::filler | Cue::tests_told)) return;
    std::string plain = plain_sentence(sentence);
    const std::string_view begins = without_fillers(from_first_word(plain));
    if (const auto type = type_of(begins, plain)) keep(found, *type, std::move(plain));
  });
  return found;
}

bool needs_changed_files(Type type) { return type == Type::bugfix || type == Type::feature || type == Type::refactor; }

std::vector<FoundObservation> find_rules(std::string_view user_message) {
  std::vector<FoundObservation> found;
  if (user_message.size() > kLongestRules) return found;
  for_each_sentence(user_message, [&](std::string_view sentence) {
    if (found.size() == kObservationsPerText || sentence.size() > kObservationsLongestSentence) return;
    std::string plain = plain_sentence(sentence);
    const bool rule = cues().opening(plain, Cue::rule).has_value();
    if (rule && plain.find('?') == std::string::npos && words_in(plain) >= 4)
      keep(found, Type::pattern, std::move(plain));
  });
  return found;
}

std::uint64_t words_hash(std::string_view text) {
  std::string words;
  words.reserve(text.size());
  for (const char c : text) {
    if (ascii::is_word(c) || ascii::is_non_ascii(c))
      words += ascii::lower(c);
    else if (!words.empty() && words.back() != ' ')
      words += ' ';
  }
  if (!words.empty() && words.back() == ' ') words.pop_back();
  return hash64(words);
}

}  // namespace memd
