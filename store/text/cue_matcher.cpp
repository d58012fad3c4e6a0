#include "store/text/cue_matcher.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/embedded.hpp"
#include "schemas/base/reflected_name.hpp"
#include "schemas/base/utf8.hpp"
#include "store/text/script.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <utility>

namespace memd {
namespace {

static_assert(reflect::kEnumNames<Cue>.size() == kCues);

constexpr char kGap = '\x01';  // blanks and punctuation between two words
// Maps two bytes to an index; upper and lower case give the same.
constexpr std::size_t pair_of(char a, char b) {
  return (static_cast<unsigned char>(a) & 31U) * 32 + (static_cast<unsigned char>(b) & 31U);
}

constexpr std::uint32_t kWordRoot = 0;
constexpr std::uint32_t kAnyRoot = 1;
constexpr unsigned kEveryRoot = 1U << kWordRoot | 1U << kAnyRoot;

constexpr std::array<bool, 256> cue_word_bytes() {
  std::array<bool, 256> out{};
  for (std::size_t b = 0; b < out.size(); ++b) {
    const char c = static_cast<char>(b);
    out[b] = ascii::is_word(c) || c == '\'' || ascii::is_non_ascii(c);
  }
  return out;
}
constexpr std::array<bool, 256> kCueWordBytes = cue_word_bytes();

constexpr bool is_cue_word(char c) { return kCueWordBytes[static_cast<unsigned char>(c)]; }

// Returns whether it is a dash, arrow or other sign from U+2000 to U+2BFF.
bool is_wide_sign(std::string_view text, std::size_t i) {
  return text[i] == '\xE2' && i + 2 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xB0;
}

bool goes_on_at(std::string_view text, std::size_t at) {
  return at < text.size() && is_cue_word(text[at]) && !is_wide_sign(text, at);
}

bool begins_word_at(std::string_view text, std::size_t at) {
  return at == 0 || !is_cue_word(text[at - 1]) || (at >= 3 && is_wide_sign(text, at - 3));
}

// Returns the byte at `i` in lower case, consistent with small_cyrillic().
char folded(std::string_view text, std::size_t i) {
  const char c = text[i];
  if (!ascii::is_non_ascii(c)) return ascii::lower(c);
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

// Returns whether words of this script are separated. Chinese and Japanese are written without blanks.
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
  while (at > 0 && is_utf8_tail(s[at]))
    --at;
  return tokenizer::next_character(s, at);
}

// Expands alternatives: "a (b|c) d" → "a b d", "a c d".
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

constexpr std::size_t kFurtherReach = 400;  // bytes; text further away belongs to another sentence

bool has_words(std::string_view text, std::string_view words) {
  const char first = ascii::lower(words.front());
  for (std::size_t at = 0; at + words.size() <= text.size(); ++at)
    if (ascii::lower(text[at]) == first && (!is_cue_word(first) || begins_word_at(text, at)) &&
        !goes_on_at(text, at + words.size()) && ascii::starts_nocase(text.substr(at), words))
      return true;
  return false;
}

bool has_words(std::string_view text, std::span<const std::string> choices) {
  return std::ranges::any_of(choices, [&](const std::string& words) { return has_words(text, words); });
}

}  // namespace

CueMatcher::CueMatcher(std::span<const std::string_view> files, std::optional<CueSet> only)
    : branches_(2), only_(only) {
  for (const std::string_view file : files)
    read(file);
  freeze();
  for (const std::uint32_t root : {kWordRoot, kAnyRoot})
    for (std::size_t i = 0; i < nodes_[root].children; ++i) {
      const char label = labels_[nodes_[root].first_child + i];
      const std::uint32_t child = children_[nodes_[root].first_child + i];
      starts_[root][static_cast<unsigned char>(label)] = child;
      note_beginnings(beginnings_[root], label, nodes_[child]);
    }
}

void CueMatcher::freeze() {
  for (Branch& branch : branches_) {
    if (const auto gap = branch.labels.find(kGap); gap != std::string::npos && gap > 0) {
      std::swap(branch.labels.front(), branch.labels[gap]);
      std::swap(branch.branches.front(), branch.branches[gap]);
    }
    Node node;
    node.first_child = static_cast<std::uint32_t>(children_.size());
    node.first_end = static_cast<std::uint32_t>(ends_.size());
    node.children = static_cast<std::uint16_t>(branch.branches.size());
    node.ends = static_cast<std::uint16_t>(branch.patterns.size());
    labels_ += branch.labels;
    children_.insert(children_.end(), branch.branches.begin(), branch.branches.end());
    ends_.insert(ends_.end(), branch.patterns.begin(), branch.patterns.end());
    nodes_.push_back(node);
  }
  branches_ = {};
  // Children have higher indices than their parents.
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    Node& node = nodes_[i];
    for (std::size_t e = 0; e < node.ends; ++e)
      node.below |= patterns_[ends_[node.first_end + e]].cue;
    for (std::size_t c = 0; c < node.children; ++c)
      node.below |= nodes_[children_[node.first_child + c]].below;
  }
}

void CueMatcher::note_beginnings(Beginnings& beginnings, char first, const Node& node) const {
  const auto note = [&](char c) {
    beginnings.first[static_cast<unsigned char>(c)] |= node.below;
    const auto with_any = std::span(beginnings.pairs).subspan(pair_of(c, 0), 32);
    for (std::size_t i = 0; i < node.children; ++i) {
      const char label = labels_[node.first_child + i];
      const CueSet below = nodes_[children_[node.first_child + i]].below;
      if (label == kGap || ascii::is_non_ascii(c))
        for (CueSet& any : with_any)
          any |= below;
      else
        beginnings.pairs[pair_of(c, label)] |= below;
    }
    if (node.ends > 0)
      for (CueSet& any : with_any)
        any |= node.below;
  };
  note(first);
  note(ascii::upper(first));
  if (first == '\xD1') note('\xD0');  // Р…Я are D0 A0…AF in upper case, D1 in lower case
  if (first == '\xD0') note('\xD1');  // ё is read as е
}

const CueMatcher::Places& CueMatcher::places_of(CueSet wanted) const {
  std::atomic<const Places*>& slot = places_[wanted.hash() >> 58];
  const auto known = [&](const Places* from) {
    while (from != nullptr && from->wanted != wanted)
      from = from->next;
    return from;
  };
  if (const Places* places = known(slot.load(std::memory_order_acquire))) return *places;
  const std::lock_guard lock(making_places_);
  const Places* before = slot.load(std::memory_order_acquire);
  if (const Places* places = known(before)) return *places;
  auto made = std::make_unique<Places>();
  made->wanted = wanted;
  made->next = before;
  for (const std::uint32_t root : {kWordRoot, kAnyRoot}) {
    const auto is_wanted = [&](CueSet cues) { return !(cues & wanted).empty(); };
    for (std::size_t c = 0; c < made->first.size(); ++c)
      if (is_wanted(beginnings_[root].first[c])) made->first[c] |= static_cast<std::uint8_t>(1U << root);
    for (std::size_t pair = 0; pair < kPairs; ++pair)
      if (is_wanted(beginnings_[root].pairs[pair])) made->pairs[pair] |= static_cast<std::uint8_t>(1U << root);
  }
  made_places_.push_back(std::move(made));
  slot.store(made_places_.back().get(), std::memory_order_release);
  return *made_places_.back();
}

void CueMatcher::read(std::string_view file) {
  std::optional<Cue> cue;
  bool opens = false;
  while (!file.empty()) {
    const std::string_view line = ascii::trimmed(ascii::take_until(file, '\n'));
    if (line.empty() || line.front() == '#') continue;
    if (line.front() != '[') {
      if (!cue) throw std::logic_error("cues: \"" + std::string(line) + "\" stands in no section");
      if (!only_ || only_->has(*cue)) add_line(line, *cue, opens);
      continue;
    }
    const std::string_view name = line.substr(1, line.find_first_of(" ]") - 1);
    const auto known = reflect::enum_of<Cue>(name);
    if (!known) throw std::logic_error("cues: no section is called \"" + std::string(name) + "\"");
    cue = *known;
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
    const std::string behind(ascii::trimmed(line.substr(further + kFurther.size())));
    if (behind.find("…") != std::string::npos)
      throw std::logic_error("cues: \"" + std::string(line) + "\" has a second …");
    pattern.goes_on = behind.empty();
    if (!behind.empty()) spell_out(behind, pattern.further);
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
  std::uint32_t branch = inside || !stands_apart(first_character(form)) ? kAnyRoot : kWordRoot;
  for (std::size_t i = 0; i < form.size(); ++i) {
    const char label = form[i] == ' ' ? kGap : folded(form, i);
    const auto at = branches_[branch].labels.find(label);
    if (at != std::string::npos) {
      branch = branches_[branch].branches[at];
      continue;
    }
    const auto added = static_cast<std::uint32_t>(branches_.size());
    branches_[branch].labels += label;
    branches_[branch].branches.push_back(added);
    branches_.emplace_back();
    branch = added;
  }
  branches_[branch].patterns.push_back(static_cast<std::uint32_t>(patterns_.size()));
  patterns_.push_back(std::move(pattern));
  lines_of_.push_back(lines_);
}

// Returns the child with this label; 0 if there is none. Linear, because a node has few children.
std::uint32_t CueMatcher::child_of(const Node& node, char label) const {
  for (std::size_t i = node.first_child; i < node.first_child + node.children; ++i)
    if (labels_[i] == label) return children_[i];
  return 0;
}

template <class F>
void CueMatcher::walk(std::uint32_t number, std::string_view text, std::size_t begin, std::size_t at, CueSet wanted,
                      F& f) const {
  for (;;) {
    const Node& node = nodes_[number];
    for (std::size_t e = node.first_end; e < node.first_end + node.ends; ++e) {
      const std::uint32_t p = ends_[e];
      const Pattern& pattern = patterns_[p];
      if (!wanted.has(pattern.cue) || (pattern.whole_end && goes_on_at(text, at))) continue;
      if (pattern.goes_on && (at + 1 >= text.size() || text[at] != ' ')) continue;
      if (!pattern.further.empty() && !has_words(text.substr(at, kFurtherReach), pattern.further)) continue;
      f(CueHit{pattern.cue, begin, at, lines_of_[p], pattern.weight}, pattern.opens);
    }
    if (at == text.size() || node.children == 0) return;
    if (labels_[node.first_child] == kGap && !is_cue_word(text[at])) {  // sorted first if present
      const std::uint32_t gap = children_[node.first_child];
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

// `roots`: bits of the roots whose patterns may start here by the first byte.
template <class F>
void CueMatcher::at_place(std::string_view text, std::size_t at, unsigned roots, const Places& places, F& f) const {
  roots &= places.first[static_cast<unsigned char>(text[at])];
  if (at + 1 < text.size()) roots &= places.pairs[pair_of(text[at], text[at + 1])];
  if (roots == 0) return;
  const auto first = static_cast<unsigned char>(folded(text, at));
  for (const std::uint32_t root : {kWordRoot, kAnyRoot}) {
    if ((roots >> root & 1U) == 0) continue;
    const std::uint32_t node = starts_[root][first];
    if (node != 0 && !(nodes_[node].below & places.wanted).empty()) walk(node, text, at, at + 1, places.wanted, f);
  }
}

// Most positions are inside a word, where few patterns start.
template <class F, class Enough>
void CueMatcher::scan(std::string_view text, std::size_t from, CueSet wanted, F& f, Enough enough) const {
  const Places& places = places_of(wanted);
  constexpr unsigned kInside = 1U << kAnyRoot;
  bool inside = from > 0 && is_cue_word(text[from - 1]);
  for (std::size_t at = from; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const bool behind_word = std::exchange(inside, kCueWordBytes[byte]);
    if (places.first[byte] == 0) continue;
    const bool begins_word = !behind_word || (ascii::is_non_ascii(text[at - 1]) && begins_word_at(text, at));
    if (!begins_word && (places.first[byte] & kInside) == 0) continue;
    at_place(text, at, begins_word ? kEveryRoot : kInside, places, f);
    if (enough()) return;
  }
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
  at_place(text, 0, kEveryRoot, places_of(wanted), take);
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

namespace {

CueMatcher built_in(std::optional<CueSet> only) {
  std::vector<std::string_view> texts;
  for (const auto& file : embedded::cue_files())
    texts.push_back(file.text);
  return CueMatcher(texts, only);
}

}  // namespace

const CueMatcher& cues() {
  static const CueMatcher kMatcher = built_in(std::nullopt);
  return kMatcher;
}

CueMatcher cues_of(CueSet only) { return built_in(only); }

}  // namespace memd
