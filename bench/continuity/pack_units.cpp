#include "bench/continuity/pack_units.hpp"

#include "schemas/ascii.hpp"
#include "store/text/text_units.hpp"
#include "store/text/token_budget.hpp"

#include <algorithm>

namespace memd::bench {
namespace {

constexpr std::size_t kFewTokens = 12;

std::size_t words_of_entry(std::string_view text) {
  std::size_t words = 0;
  int depth = 0;  // bracket depth: "hooks.go e2 [x1] (what for)" is two words
  bool inside = false;
  for (const char c : text) {
    if (c == '(' || c == '[' || c == '{') ++depth;
    const bool part = depth == 0 && c != ' ';
    if (part && !inside && c != '-') ++words;  // flags are separate entries
    inside = part;
    if ((c == ')' || c == ']' || c == '}') && depth > 0) --depth;
  }
  return words;
}

// Returns the positions of the commas that separate entries, that is, of those outside brackets.
std::vector<std::size_t> commas_of(std::string_view text) {
  std::vector<std::size_t> out;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[' || text[i] == '{') ++depth;
    if ((text[i] == ')' || text[i] == ']' || text[i] == '}') && depth > 0) --depth;
    if (depth == 0 && text[i] == ',' && i + 1 < text.size() && text[i + 1] == ' ') out.push_back(i);
  }
  return out;
}

// Returns the end of a prefix that applies to each entry, such as "store/: " in "store/: reader.cpp e5, reader.hpp".
std::size_t end_of_context(std::string_view line) {
  const auto colon = line.find(": ");
  const auto blank = line.find(' ');
  return colon != std::string_view::npos && colon < blank ? colon : 0;
}

// Splits off flags behind a program as separate entries: "git log --oneline --format".
bool add_flags(std::string_view entry, const std::string& context, std::vector<PackUnit>& out) {
  constexpr std::string_view kFlag = " --";
  const auto first = entry.find(kFlag);
  if (first == std::string_view::npos || first == 0) return false;
  out.push_back({entry.substr(0, first), context, true});
  for (std::size_t begin = first; begin < entry.size();) {
    const std::size_t end = std::min(entry.find(kFlag, begin + 1), entry.size());
    out.push_back({entry.substr(begin, end - begin), {}, true, true});
    begin = end;
  }
  return true;
}

// Adds an entry. The names in braces behind a file become separate entries.
void add_entry(std::string_view entry, const std::string& context, std::vector<PackUnit>& out) {
  const auto open = entry.find('{');
  const auto close = entry.find('}', std::min(open, entry.size()));
  if (open == std::string_view::npos || close == std::string_view::npos) {
    if (add_flags(entry, context, out)) return;
    out.push_back({entry, context, true});
    return;
  }
  out.push_back({entry.substr(0, open), context, true});
  for (std::size_t begin = open; begin < close;) {
    const std::size_t end = std::min(entry.find(' ', begin + 1), close);
    out.push_back({entry.substr(begin, end - begin), {}, true, true});
    begin = end;
  }
  out.push_back({entry.substr(close), {}, true});
}

bool add_list(std::string_view line, std::vector<PackUnit>& out) {
  constexpr std::size_t kWordsOfEntry = 4;
  const std::size_t context_end = end_of_context(line);
  const std::string context(line.substr(0, context_end));
  std::vector<std::size_t> ends = commas_of(line);
  const bool of_directory = context.find('/') != std::string::npos || context.find('.') != std::string::npos;
  if (ends.size() < 2 && !of_directory) return false;
  ends.push_back(line.size());
  std::vector<PackUnit> entries;
  std::size_t few = 0;
  std::size_t count = 0;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    const std::size_t text = begin == 0 && context_end > 0 ? context_end + 2 : begin;
    few += words_of_entry(line.substr(text, end - text)) <= kWordsOfEntry ? 1 : 0;
    ++count;
    add_entry(line.substr(begin, std::min(end + 2, line.size()) - begin), context, entries);
    begin = std::min(end + 2, line.size());
  }
  if (few * 10 < count * 8) return false;
  out.insert(out.end(), entries.begin(), entries.end());
  return true;
}

// Adds the words of a line as entries if most of them are names: "openStore readRow MAX_ROWS". In "store/reader.cpp:
// openStore readRow" the file says where they are defined.
bool add_bag(std::string_view line, std::vector<PackUnit>& out) {
  std::vector<PackUnit> words;
  std::size_t names = 0;
  const std::string_view place = line.substr(0, end_of_context(line));
  const bool has_place = place.find('/') != std::string_view::npos || place.find('.') != std::string_view::npos;
  for (std::size_t begin = 0; begin < line.size();) {
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    const std::string_view word = line.substr(begin, end - begin);
    Terms terms;
    add_identifiers(word, terms);
    names += terms.empty() ? 0 : 1;
    words.push_back({line.substr(begin, std::min(end + 1, line.size()) - begin), {}, true, has_place});
    begin = end + 1;
  }
  if (words.size() < 4 || names * 10 < words.size() * 6) return false;
  out.insert(out.end(), words.begin(), words.end());
  return true;
}

void add_sentences(std::string_view line, std::vector<PackUnit>& out) {
  const std::vector<TextUnit> units = split_units(line);
  for (std::size_t i = 0; i < units.size(); ++i) {
    const auto begin = i == 0 ? 0 : static_cast<std::size_t>(units[i].text.data() - line.data());
    const auto end =
        i + 1 == units.size() ? line.size() : static_cast<std::size_t>(units[i + 1].text.data() - line.data());
    out.push_back({line.substr(begin, end - begin), {}, false});
  }
}

class Meter {
 public:
  Meter(const Items& items, const Known& known, const NameWeights& weights,
        const std::vector<std::set<std::string>>& said_after)
      : items_(items), known_(known), weights_(weights), said_after_(said_after) {}

  // Scores a unit. Returns its weight; negative: nothing of it was used again.
  double add(const PackUnit& unit) {
    // A file as context only says where a name is defined; the name itself has to be used again.
    const bool in_directory = unit.context.ends_with('/');
    const std::string text = in_directory ? unit.context + " " + std::string(unit.text) : std::string(unit.text);
    const auto tokens = static_cast<double>(memd::estimate_tokens(unit.text));
    worth_.all += tokens;
    const double weight = weight_of(unit, text);
    if (weight >= 0) worth_.used += tokens;
    if (weight > 0) worth_.weighted += tokens * weight;
    if (unit.is_entry && is_name(unit, text)) {
      worth_.names += tokens;
      if (!unit.has_place) worth_.bare += tokens;
    }
    return weight;
  }
  Worth take() const { return worth_; }

 private:
  const std::vector<std::string>& of(ItemKind kind) const { return items_[static_cast<std::size_t>(kind)]; }

  // Returns the weight of the reused items that the unit names; negative: none.
  double weight_of(const PackUnit& unit, const std::string& text) const {
    const std::string line = ascii::one_line(text);
    for (const std::string& file : of(ItemKind::file))
      if (known_.files.named_in(text, file)) return 1;
    for (const std::string& command : of(ItemKind::command))
      if (command.find(' ') == std::string::npos ? names_command(text, command) : names(line, command)) return 1;
    if (unit.is_entry || memd::estimate_tokens(unit.text) <= kFewTokens)
      for (const std::string& head : of(ItemKind::command_head))
        if (names_command(text, head)) return 1;
    if (!unit.is_entry && is_said_again(unit.text)) return 1;
    double best = -1;
    for (const auto kind : {ItemKind::identifier, ItemKind::edited_identifier})
      for (const std::string& name : of(kind))
        if (names(unit.text, name)) best = std::max(best, weights_.of(name));
    return best;
  }

  bool is_said_again(std::string_view text) const {
    const std::set<std::string> words = subject_words(text);
    return std::any_of(said_after_.begin(), said_after_.end(),
                       [&](const std::set<std::string>& said) { return covers(said, words); });
  }

  bool is_name(const PackUnit& unit, const std::string& text) const {
    Terms terms;
    add_identifiers(unit.text, terms);
    if (terms.empty()) return false;
    // In an entry of a file list the text says what was done with the file; in an entry of names a file is only a
    // place.
    const std::string_view first = unit.text.substr(0, unit.text.find(' '));
    Terms of_first;
    add_identifiers(first, of_first);
    return !of_first.empty() ||
           std::none_of(known_.files.paths().begin(), known_.files.paths().end(),
                        [&](const std::string& file) { return known_.files.named_in(text, file); });
  }

  const Items& items_;
  const Known& known_;
  const NameWeights& weights_;
  const std::vector<std::set<std::string>>& said_after_;
  Worth worth_;
};

}  // namespace

std::vector<PackUnit> pack_units(std::string_view pack) {
  std::vector<PackUnit> out;
  for (std::size_t begin = 0; begin < pack.size();) {
    const std::size_t end = std::min(pack.find('\n', begin), pack.size() - 1) + 1;
    const std::string_view line = pack.substr(begin, end - begin);
    if (!ascii::trimmed(line).empty() && !add_list(line, out) && !add_bag(line, out)) add_sentences(line, out);
    begin = end;
  }
  return out;
}

Worth worth_of(std::string_view pack, const Items& items, const Known& known, const NameWeights& weights,
               const std::vector<std::set<std::string>>& said_after, std::vector<JudgedUnit>* judged) {
  Meter meter(items, known, weights, said_after);
  for (PackUnit& unit : pack_units(pack)) {
    const double weight = meter.add(unit);
    const auto tokens = static_cast<double>(memd::estimate_tokens(unit.text));
    if (judged != nullptr) judged->push_back({std::move(unit), tokens, weight});
  }
  return meter.take();
}

}  // namespace memd::bench
