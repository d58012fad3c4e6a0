#include "store/text/cue_matcher.hpp"

#include "schemas/ascii.hpp"
#include "schemas/embedded.hpp"
#include "store/text/script.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <utility>

namespace memd {
namespace {

constexpr std::array<std::string_view, kCues> kCueNames{
    "settled",      "contrast",    "choosing",   "undecided",    "declined",     "taken_back",    "decisions_told",
    "reason",       "directs",     "talks",      "reply",        "denial",       "offer",         "routine",
    "alternatives", "plan_told",   "bugfix",     "discovery",    "feature",      "pattern",       "problem",
    "refactor",     "solution",    "warning",    "the_problem",  "vague",        "filler",        "unsure",
    "no_feature",   "rule",        "tests_told", "tests_pass",   "tests_named",  "tests_not_yet", "open_end",
    "preamble",     "role",        "telling",    "binding",      "wished",       "order",         "joint",
    "narrative",    "asking",      "asked",      "request",      "to_change",    "supposed",      "go_ahead",
    "trouble",      "mended",      "harmless",   "no_complaint", "reports_done", "ahead",         "announced",
    "announces",    "carried_out", "unable",     "unmended",     "untried",      "asks_back",     "awaits",
    "offers",       "complains",   "praises",    "reversal",     "fix",          "change",        "fault"};

constexpr char kGap = '\x01';  // blanks and signs between two words
constexpr std::size_t pair_class(char c) { return static_cast<unsigned char>(c) & 31U; }  // A and a are one

constexpr std::uint32_t kWordRoot = 0;
constexpr std::uint32_t kAnyRoot = 1;

constexpr bool is_cue_word(char c) { return ascii::is_word(c) || c == '\'' || ascii::is_beyond(c); }

// Dashes, arrows and other signs from U+2000 to U+2BFF.
bool is_wide_sign(std::string_view text, std::size_t i) {
  return text[i] == '\xE2' && i + 2 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xB0;
}

bool goes_on_at(std::string_view text, std::size_t at) {
  return at < text.size() && is_cue_word(text[at]) && !is_wide_sign(text, at);
}

bool begins_word_at(std::string_view text, std::size_t at) {
  return at == 0 || !is_cue_word(text[at - 1]) || (at >= 3 && is_wide_sign(text, at - 3));
}

// The byte at `i` in lower case, as small_cyrillic() has it.
char folded(std::string_view text, std::size_t i) {
  const char c = text[i];
  if (!ascii::is_beyond(c)) return ascii::lower(c);
  const auto byte = static_cast<unsigned char>(c);
  if (byte == 0xD0 || byte == 0xD1) {
    const unsigned tail = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
    if (byte == 0xD0 && tail >= 0xA0 && tail < 0xB0) return '\xD1';
    return byte == 0xD1 && tail == 0x91 ? '\xD0' : c;
  }
  const unsigned lead = i > 0 ? static_cast<unsigned char>(text[i - 1]) : 0U;
  if (lead == 0xD0 && byte >= 0x90 && byte < 0xA0) return static_cast<char>(byte + 0x20);
  if (lead == 0xD0 && byte >= 0xA0 && byte < 0xB0) return static_cast<char>(byte - 0x20);
  if ((lead == 0xD0 && byte == 0x81) || (lead == 0xD1 && byte == 0x91)) return '\xB5';
  return c;
}

// Whether words of this script stand apart. Chinese and Japanese write them without blanks.
bool stands_apart(std::uint32_t character) {
  if (character < 0x80) return is_cue_word(static_cast<char>(character));
  const auto script = tokenizer::script_of(character);
  return script == tokenizer::Script::cyrillic || script == tokenizer::Script::hangul || character < 0x400;
}

std::uint32_t first_character(std::string_view s) {
  std::size_t at = 0;
  return tokenizer::next_character(s, at);
}

std::uint32_t last_character(std::string_view s) {
  std::size_t at = s.size() - 1;
  while (at > 0 && (static_cast<unsigned char>(s[at]) & 0xC0) == 0x80)
    --at;
  return tokenizer::next_character(s, at);
}

// "a (b|c) d" → "a b d", "a c d".
void spell_out(const std::string& form, std::vector<std::string>& out) {
  const auto open = form.find('(');
  const auto close = form.find(')', open);
  if (open == std::string::npos || close == std::string::npos) {
    out.push_back(ascii::one_line(form));
    return;
  }
  std::string_view choices = std::string_view(form).substr(open + 1, close - open - 1);
  for (bool more = true; more;) {
    const auto bar = choices.find('|');
    more = bar != std::string_view::npos;
    spell_out(form.substr(0, open) + std::string(choices.substr(0, bar)) + form.substr(close + 1), out);
    if (more) choices.remove_prefix(bar + 1);
  }
}

constexpr std::size_t kFurtherReach = 400;  // bytes: what stands behind a longer way belongs to another sentence

bool has_words(std::string_view text, std::string_view words) {
  for (std::size_t at = 0; at + words.size() <= text.size(); ++at)
    if (ascii::starts_nocase(text.substr(at), words) && (!is_cue_word(words.front()) || begins_word_at(text, at)) &&
        !goes_on_at(text, at + words.size()))
      return true;
  return false;
}

}  // namespace

CueMatcher::CueMatcher(std::span<const std::string_view> files) : nodes_(2) {
  for (const std::string_view file : files)
    read(file);
  // Children come behind their parents.
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    Node& node = nodes_[i];
    for (const std::uint32_t pattern : node.patterns)
      node.below |= patterns_[pattern].cue;
    for (const std::uint32_t child : node.nodes)
      node.below |= nodes_[child].below;
  }
  for (const std::uint32_t root : {kWordRoot, kAnyRoot})
    for (std::size_t i = 0; i < nodes_[root].labels.size(); ++i) {
      const char label = nodes_[root].labels[i];
      children_[root][static_cast<unsigned char>(label)] = nodes_[root].nodes[i];
      note_beginnings(beginnings_[root], label, nodes_[nodes_[root].nodes[i]]);
    }
}

void CueMatcher::note_beginnings(Beginnings& beginnings, char first, const Node& node) const {
  const auto note = [&](char c) {
    beginnings.first[static_cast<unsigned char>(c)] |= node.below;
    auto& row = beginnings.pairs[pair_class(c)];
    for (std::size_t i = 0; i < node.labels.size(); ++i) {
      if (node.labels[i] == kGap || ascii::is_beyond(c))
        for (CueSet& any : row)
          any |= node.below;
      else
        row[pair_class(node.labels[i])] |= nodes_[node.nodes[i]].below;
    }
    if (!node.patterns.empty())
      for (CueSet& any : row)
        any |= node.below;
  };
  note(first);
  note(ascii::upper(first));
  if (first == '\xD1') note('\xD0');  // Р…Я are D0 A0…AF, the small ones D1
  if (first == '\xD0') note('\xD1');  // ё is read as е
}

bool CueMatcher::may_begin(const Beginnings& beginnings, std::string_view text, std::size_t at, CueSet wanted) {
  if ((beginnings.first[static_cast<unsigned char>(text[at])] & wanted).empty()) return false;
  return at + 1 == text.size() || !(beginnings.pairs[pair_class(text[at])][pair_class(text[at + 1])] & wanted).empty();
}

void CueMatcher::read(std::string_view file) {
  std::optional<Cue> cue;
  bool opens = false;
  while (!file.empty()) {
    const auto end = std::min(file.find('\n'), file.size());
    const std::string_view line = ascii::trimmed(file.substr(0, end));
    file.remove_prefix(std::min(end + 1, file.size()));
    if (line.empty() || line.front() == '#') continue;
    if (line.front() != '[') {
      if (!cue) throw std::logic_error("cues: \"" + std::string(line) + "\" stands in no section");
      add_line(line, *cue, opens);
      continue;
    }
    const std::string_view name = line.substr(1, line.find_first_of(" ]") - 1);
    const auto known = std::find(kCueNames.begin(), kCueNames.end(), name);
    if (known == kCueNames.end()) throw std::logic_error("cues: no section is called \"" + std::string(name) + "\"");
    cue = static_cast<Cue>(known - kCueNames.begin());
    opens = line.find('^') != std::string_view::npos;
  }
}

void CueMatcher::add_line(std::string_view line, Cue cue, bool opens) {
  Pattern pattern;
  pattern.cue = cue;
  pattern.opens = opens;
  if (const auto equals = line.rfind(" = "); equals != std::string_view::npos) {
    const std::string_view number = line.substr(equals + 3);
    const auto [rest, error] = std::from_chars(number.data(), number.data() + number.size(), pattern.weight);
    if (error != std::errc() || rest != number.data() + number.size())
      throw std::logic_error("cues: \"" + std::string(line) + "\" has no number behind its =");
    line = line.substr(0, equals);
  }
  constexpr std::string_view kFurther = " …";
  if (const auto further = line.find(kFurther); further != std::string_view::npos) {
    pattern.further = ascii::trimmed(line.substr(further + kFurther.size()));
    pattern.goes_on = pattern.further.empty();
    line = line.substr(0, further);
  }
  std::vector<std::string> forms;
  spell_out(std::string(line), forms);
  for (const std::string& form : forms)
    add(form, pattern);
  ++lines_;
}

void CueMatcher::add(std::string_view form, Pattern pattern) {
  const std::string whole(form);
  if (form.starts_with('^')) pattern.opens = true, form = ascii::trimmed(form.substr(1));
  const bool inside = form.starts_with('*');
  if (inside) form.remove_prefix(1);
  const bool open_end = form.ends_with('*');
  if (open_end) form.remove_suffix(1);
  if (form.empty()) throw std::logic_error("cues: \"" + whole + "\" is no pattern");
  const auto last = last_character(form);
  pattern.whole_end = !open_end && (last < 0x80 || stands_apart(last));
  std::uint32_t node = inside || !stands_apart(first_character(form)) ? kAnyRoot : kWordRoot;
  for (std::size_t i = 0; i < form.size(); ++i) {
    const char label = form[i] == ' ' ? kGap : folded(form, i);
    const auto at = nodes_[node].labels.find(label);
    if (at != std::string::npos) {
      node = nodes_[node].nodes[at];
      continue;
    }
    const auto added = static_cast<std::uint32_t>(nodes_.size());
    nodes_[node].labels += label;
    nodes_[node].nodes.push_back(added);
    nodes_.emplace_back();
    node = added;
  }
  nodes_[node].patterns.push_back(static_cast<std::uint32_t>(patterns_.size()));
  patterns_.push_back(std::move(pattern));
  lines_of_.push_back(lines_);
}

// A node has few children; 0: there is none of that label.
std::uint32_t CueMatcher::child_of(const Node& node, char label) {
  for (std::size_t i = 0; i < node.labels.size(); ++i)
    if (node.labels[i] == label) return node.nodes[i];
  return 0;
}

template <class F>
void CueMatcher::walk(std::uint32_t number, std::string_view text, std::size_t begin, std::size_t at, CueSet wanted,
                      F& f) const {
  for (;;) {
    const Node& node = nodes_[number];
    for (const std::uint32_t p : node.patterns) {
      const Pattern& pattern = patterns_[p];
      if (!wanted.has(pattern.cue) || (pattern.whole_end && goes_on_at(text, at))) continue;
      if (pattern.goes_on && (at + 1 >= text.size() || text[at] != ' ')) continue;
      if (!pattern.further.empty() && !has_words(text.substr(at, kFurtherReach), pattern.further)) continue;
      f(CueHit{pattern.cue, begin, at, lines_of_[p], pattern.weight}, pattern.opens);
    }
    if (at == text.size() || node.labels.empty()) return;
    if (const std::uint32_t gap = child_of(node, kGap); gap != 0 && !is_cue_word(text[at])) {
      std::size_t behind = at;
      while (behind < text.size() && !is_cue_word(text[behind]))
        ++behind;
      if (!(nodes_[gap].below & wanted).empty()) walk(gap, text, begin, behind, wanted, f);
    }
    number = child_of(node, folded(text, at));
    for (; number == 0 && text[at] == '*' && at + 1 < text.size(); number = child_of(node, text[at]))
      ++at;  // "**Decision**: …"
    if (number == 0) return;
    if ((nodes_[number].below & wanted).empty()) return;
    ++at;
  }
}

template <class F>
void CueMatcher::at_place(std::string_view text, std::size_t at, bool begins_word, CueSet wanted, F& f) const {
  for (const std::uint32_t root : {kWordRoot, kAnyRoot}) {
    if ((root == kWordRoot && !begins_word) || !may_begin(beginnings_[root], text, at, wanted)) continue;
    const std::uint32_t node = children_[root][static_cast<unsigned char>(folded(text, at))];
    if (node != 0 && !(nodes_[node].below & wanted).empty()) walk(node, text, at, at + 1, wanted, f);
  }
}

// Most places are inside of a word, where hardly a pattern begins.
template <class F, class Enough>
void CueMatcher::scan(std::string_view text, std::size_t from, CueSet wanted, F& f, Enough enough) const {
  for (std::size_t at = from; at < text.size() && !enough(); ++at)
    at_place(text, at, begins_word_at(text, at), wanted, f);
}

namespace {

std::size_t first_word(std::string_view text) {
  return static_cast<std::size_t>(std::find_if(text.begin(), text.end(), is_cue_word) - text.begin());
}

}  // namespace

CueSet CueMatcher::find(std::string_view text, CueSet wanted) const {
  CueSet found;
  const std::size_t begin = first_word(text);
  const auto take = [&](const CueHit& hit, bool opens) {
    if (!opens || hit.begin == begin) found |= hit.cue;
  };
  scan(text, 0, wanted, take, [&] { return found == wanted; });
  return found;
}

std::optional<CueHit> CueMatcher::next(std::string_view text, CueSet wanted, std::size_t from) const {
  std::optional<CueHit> found;
  const auto take = [&](const CueHit& hit, bool opens) {
    if (opens && hit.begin != first_word(text)) return;
    if (!found || hit.end > found->end) found = hit;
  };
  scan(text, from, wanted, take, [&] { return found.has_value(); });
  return found;
}

std::optional<CueHit> CueMatcher::opening(std::string_view text, CueSet wanted) const {
  std::optional<CueHit> found;
  if (text.empty()) return found;
  const auto take = [&](const CueHit& hit, bool) {
    const bool compound = hit.end < text.size() && text[hit.end] == '-';  // "fixed-length"
    if (!compound && (!found || hit.end > found->end)) found = hit;
  };
  at_place(text, 0, true, wanted, take);
  return found;
}

std::vector<CueHit> CueMatcher::all(std::string_view text, CueSet wanted) const {
  std::vector<CueHit> found;
  const std::size_t begin = first_word(text);
  const auto take = [&](const CueHit& hit, bool opens) {
    const auto same = [&](const CueHit& h) { return h.pattern == hit.pattern; };
    if ((!opens || hit.begin == begin) && std::none_of(found.begin(), found.end(), same)) found.push_back(hit);
  };
  scan(text, 0, wanted, take, [] { return false; });
  return found;
}

const CueMatcher& cues() {
  static const CueMatcher kMatcher = [] {
    std::vector<std::string_view> texts;
    for (const auto& file : embedded::cue_files())
      texts.push_back(file.text);
    return CueMatcher(texts);
  }();
  return kMatcher;
}

}  // namespace memd
