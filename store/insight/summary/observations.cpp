#include "store/insight/summary/observations.hpp"

#include "schemas/ascii.hpp"
#include "schemas/hash.hpp"
#include "store/insight/summary/observation_cues.hpp"
#include "store/text/plain_text.hpp"
#include "store/text/text_shape.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <optional>
#include <span>

namespace memd {
namespace {

using Type = ObservationType;
using cues::Opening;

constexpr std::size_t kObservationsLongestSentence = 800;  // bytes
constexpr std::size_t kLongestRules = 4096;                // of a message that lays down rules
constexpr std::size_t kFewestWords = 5;

bool has_any(std::string_view low, std::span<const std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view w) { return low.find(w) != std::string_view::npos; });
}

// "The real problem was that …"
constexpr auto kProblemAdjectives =
    std::to_array<std::string_view>({"real ", "actual ", "core ", "main ", "underlying ", "key ", "root ", "other ",
                                     "second ", "first ", "remaining "});
constexpr auto kProblemNouns = std::to_array<std::string_view>({"problem ", "issue ", "bug "});
constexpr auto kProblemVerbs = std::to_array<std::string_view>({"is ", "was ", "here is ", "here was "});

bool states_problem(std::string_view s) {
  if (!ascii::starts_nocase(s, "the ")) return false;
  s.remove_prefix(4);
  const auto skip = [&](std::span<const std::string_view> words) {
    for (const std::string_view w : words)
      if (ascii::starts_nocase(s, w)) {
        s.remove_prefix(w.size());
        return true;
      }
    return false;
  };
  skip(kProblemAdjectives);
  if (!skip(kProblemNouns) || !skip(kProblemVerbs)) return false;
  constexpr auto kVague = std::to_array<std::string_view>({"clear", "exactly", "resolved", "fixed", "solved", "now ",
                                                           "not ", "**not", "whether ", "similar", "still ", "gone",
                                                           "real", "valid", "becoming", "different", "this", "simple"});
  return std::none_of(kVague.begin(), kVague.end(), [&](std::string_view v) { return ascii::starts_nocase(s, v); });
}

// "All 49 tests pass", "All checks passed."
bool states_success(std::string_view low) {
  constexpr std::size_t kLongest = 160;
  if (low.size() > kLongest || !(low.starts_with("all ") || low.starts_with("tests pass"))) return false;
  constexpr auto kPassing = std::to_array<std::string_view>(
      {" pass.", " pass ", " pass,", " pass!", " passed", " passing", " pass now", " green"});
  constexpr auto kChecked = std::to_array<std::string_view>({"test", "check", "lint", "spec", "suite", "ci "});
  constexpr auto kNotYet =
      std::to_array<std::string_view>({"until", "once ", "when ", "should", "must", "make sure", "ensure", "verify",
                                       "except", " but ", "because", "if ", "to pass", "not ", "fail"});
  const bool at_end = low.ends_with(" pass");
  return (at_end || has_any(low, kPassing)) && has_any(low, kChecked) && !has_any(low, kNotYet);
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

constexpr auto kFillers = std::to_array<std::string_view>(
    {"i've ", "i have ", "i ", "we ", "also ", "successfully ", "so ", "but ", "and ", "ah, ", "ok, ", "ok — "});

// `s` without fillers that change nothing: "I've also successfully ".
std::string_view without_fillers(std::string_view s) {
  for (bool again = true; again;) {
    again = false;
    for (const std::string_view f : kFillers)
      if (ascii::starts_nocase(s, f)) {
        s.remove_prefix(f.size());
        again = true;
      }
  }
  return s;
}

const Opening* opening_of(std::string_view s) {
  if (s.empty()) return nullptr;
  const char first = ascii::lower(s.front());
  for (const Opening& o : cues::kOpenings)
    if (o.words.front() == first && ascii::starts_nocase(s, o.words)) return &o;
  return nullptr;
}

// `begins`: the sentence from its first word on; `plain`: as it will be shown.
std::optional<Type> type_of(std::string_view begins, const std::string& plain) {
  const std::string low = ascii::lowered(plain);
  if (low.find('?') != std::string::npos) return std::nullopt;
  if (states_success(low)) return Type::success;
  std::optional<Type> type;
  const Opening* opening = opening_of(begins);
  if (opening != nullptr && (opening->needs.empty() || low.find(opening->needs) != std::string::npos))
    type = opening->type;
  else if (states_problem(begins))
    type = Type::problem;
  if (!type || words_in(low) < kFewestWords || has_any(low, cues::kUnsure)) return std::nullopt;
  if (low.ends_with(':') && *type != Type::solution) return std::nullopt;
  if (*type == Type::feature && has_any(low, cues::kNoFeature)) return std::nullopt;
  return type;
}

// Without marks, bold type and code quotes in front; a bold lead ("**Root cause:** …") is then read as words.
std::string_view from_first_word(std::string_view s) {
  std::size_t i = 0;
  while (i < s.size() && !ascii::is_letter(s[i]) && (!ascii::is_beyond(s[i]) || i < 16) && s[i] != '<' && s[i] != '`')
    ++i;
  return s.substr(i);
}

// The beginnings of all openings, by their first three characters.
class Beginnings {
 public:
  Beginnings() {
    for (const Opening& o : cues::kOpenings)
      known_.set(key(o.words));
    for (const std::string_view f : kFillers)
      known_.set(key(f));
    for (const std::string_view other : {"the ", "all ", "tests "})
      known_.set(key(other));
  }
  bool contains(std::string_view s) const { return s.size() >= 3 && known_.test(key(s)); }

 private:
  static std::size_t key(std::string_view s) {
    std::size_t key = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const char c = i < s.size() ? s[i] : ' ';
      key = key << 5 | (ascii::is_letter(c) ? static_cast<std::size_t>(ascii::lower(c) - 'a') : 31U);
    }
    return key;
  }
  std::bitset<1U << 15U> known_;
};

bool may_open(std::string_view s) {
  static const Beginnings kBeginnings;
  return kBeginnings.contains(s);
}

// Calls take(sentence) for the sentences of the prose lines.
template <class Take>
void for_each_sentence(std::string_view text, Take&& take) {
  FenceTracker fences;
  while (!text.empty()) {
    const std::size_t line_end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, line_end);
    text.remove_prefix(std::min(line_end + 1, text.size()));
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
    if (!may_open(from_first_word(sentence.substr(0, 64)))) return;
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
    const bool rule = std::any_of(cues::kRules.begin(), cues::kRules.end(),
                                  [&](std::string_view r) { return ascii::starts_nocase(plain, r); });
    if (rule && plain.find('?') == std::string::npos && words_in(plain) >= 4)
      keep(found, Type::pattern, std::move(plain));
  });
  return found;
}

std::uint64_t words_hash(std::string_view text) {
  std::string words;
  words.reserve(text.size());
  for (const char c : text) {
    if (ascii::is_letter(c) || ascii::is_digit(c) || ascii::is_beyond(c) || c == '_')
      words += ascii::lower(c);
    else if (!words.empty() && words.back() != ' ')
      words += ' ';
  }
  if (!words.empty() && words.back() == ' ') words.pop_back();
  return hash64(words);
}

}  // namespace memd
