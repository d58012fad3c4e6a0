#include "store/search/words/passage.hpp"

#include "schemas/ascii.hpp"

#include <algorithm>

namespace memd::search {
namespace {

constexpr std::size_t kScannedBytes = 64 * 1024;  // of one text
constexpr std::size_t kMaxMatches = 400;
constexpr double kRepeat = 0.05;  // what a further occurrence adds, of the word's idf

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }
// A blank or what parts the lines of tools (0x1e).
bool is_gap(char c) { return static_cast<unsigned char>(c) <= 0x20; }
bool is_word_byte(char c) { return ascii::is_beyond(c) || ascii::is_alnum(c); }

// The nearest border of a word within a few bytes, else of a character.
std::size_t border_after(std::string_view text, std::size_t at, std::size_t limit) {
  for (std::size_t i = at; i < limit && i < at + 20; ++i)
    if (is_gap(text[i])) return i;
  while (at < limit && is_continuation(text[at]))
    ++at;
  return at;
}
std::size_t border_before(std::string_view text, std::size_t at, std::size_t limit) {
  if (at >= text.size()) return text.size();
  for (std::size_t i = at; i > limit && i + 20 > at; --i)
    if (is_gap(text[i])) return i;
  while (at > limit && is_continuation(text[at]))
    --at;
  return at;
}

void append_collapsed(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (!is_gap(c))
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
}

}  // namespace

PassageFinder::PassageFinder(const IndexTokenizer& tokenizer, const QueryPlan& plan)
    : tokenizer_(tokenizer), plan_(plan) {
  for (std::size_t i = 0; i < plan.terms.size(); ++i)
    for (const TermForm& form : plan.terms[i].forms)
      for (const std::string& stem : form.stems) {
        terms_.try_emplace(stem, i);
        const auto first = static_cast<unsigned char>(stem.front());
        starts_[first] = true;
        if (first >= 'a' && first <= 'z') starts_[first - 'a' + 'A'] = true;
      }
}

void PassageFinder::find_in_word(std::string_view text, std::size_t start, std::size_t end,
                                 std::vector<Match>& out) const {
  tokens_.clear();
  tokenizer_.tokenize_stored(text.substr(start, end - start), tokens_);
  for (const Token& token : tokens_)
    if (const auto term = terms_.find(token.stem); term != terms_.end())
      out.push_back({start + token.start, start + token.end, term->second});
}

// Stemming keeps the first letter of an ASCII word, so most words need no tokenizer.
void PassageFinder::find(std::string_view text, std::vector<Match>& out) const {
  for (std::size_t at = 0; at < text.size() && out.size() < kMaxMatches;) {
    if (!is_word_byte(text[at])) {
      ++at;
      continue;
    }
    const std::size_t start = at;
    bool ascii = true;
    for (; at < text.size() && is_word_byte(text[at]); ++at)
      ascii &= static_cast<unsigned char>(text[at]) < 0x80;
    if (!ascii || starts_[static_cast<unsigned char>(text[start])]) find_in_word(text, start, at, out);
  }
}

PassageFinder::Window PassageFinder::best_window(const std::vector<Match>& matches) const {
  Window best;
  std::vector<bool> seen(plan_.terms.size());
  for (std::size_t i = 0; i < matches.size(); ++i) {
    std::fill(seen.begin(), seen.end(), false);
    Window here{0, i, i};
    for (std::size_t j = i; j < matches.size() && matches[j].end <= matches[i].start + kBytes; ++j) {
      const double idf = plan_.terms[matches[j].term].idf;
      here.worth += seen[matches[j].term] ? kRepeat * idf : idf;
      seen[matches[j].term] = true;
      here.last = j;
    }
    if (here.worth > best.worth) best = here;
  }
  return best;
}

Passage PassageFinder::best(const std::array<std::string_view, 4>& texts) const {
  Passage out;
  Window window;
  std::vector<Match> matches;
  std::vector<Match> candidates;
  for (std::size_t column = 0; column < texts.size(); ++column) {
    candidates.clear();
    find(texts[column].substr(0, kScannedBytes), candidates);
    const Window found = best_window(candidates);
    if (found.worth <= window.worth) continue;
    window = found;
    matches.swap(candidates);
    out.column = column;
  }
  if (matches.empty())
    while (out.column + 1 < texts.size() && texts[out.column].empty())
      ++out.column;

  const std::string_view text = texts[out.column];
  const std::size_t first = matches.empty() ? 0 : matches[window.first].start;
  std::size_t last = first;
  for (std::size_t i = window.first; i < matches.size() && i <= window.last; ++i)
    last = std::max(last, matches[i].end);
  const std::size_t spare = kBytes - std::min(kBytes, last - first);
  const std::size_t from = first > spare / 3 ? border_after(text, first - spare / 3, first) : 0;
  const std::size_t to = border_before(text, std::max(last, std::min(text.size(), from + kBytes)), last);

  if (from > 0) out.text = "…";
  std::size_t at = from;
  for (std::size_t i = window.first; i < matches.size() && i <= window.last;) {
    append_collapsed(out.text, text.substr(at, matches[i].start - at));
    const std::size_t start = matches[i].start;
    // Pairs of characters overlap: they are shown as one.
    for (at = start; i < matches.size() && i <= window.last && matches[i].start <= at; ++i)
      at = std::max(at, matches[i].end);
    out.text += "«";
    out.text += text.substr(start, at - start);
    out.text += "»";
  }
  append_collapsed(out.text, text.substr(at, to - at));
  while (!out.text.empty() && out.text.back() == ' ')
    out.text.pop_back();
  if (to < text.size()) out.text += "…";
  return out;
}

}  // namespace memd::search
