#include "store/search/words/character_pairs.hpp"

#include "store/text/script.hpp"
#include "store/text/stop_words.hpp"

#include <algorithm>
#include <array>

namespace memd::search {
namespace {

using tokenizer::Script;

constexpr double kStem = 0.7;       // share of a pair of an ideograph and its ending: 直す
constexpr double kStemAlone = 0.6;  // of the weight: the ideograph without that ending
constexpr double kEdge = 0.5;       // share of a pair where scripts meet, for the sake of a single ideograph

struct Stretch {  // of a run, of one script
  Script script;
  std::size_t first;
  std::size_t end;
  std::size_t size() const { return end - first; }
};

std::vector<std::uint32_t> characters_of(std::span<const Token> run) {
  std::vector<std::uint32_t> out;
  std::size_t at = 0;
  for (const Token& token : run) {
    at = 0;
    out.push_back(tokenizer::next_character(token.stem, at));
  }
  if (at < run.back().stem.size()) out.push_back(tokenizer::next_character(run.back().stem, at));
  return out;
}

std::vector<Stretch> stretches_of(std::span<const std::uint32_t> characters) {
  std::vector<Stretch> out;
  for (std::size_t i = 0; i < characters.size(); ++i) {
    const Script script = tokenizer::script_of(characters[i]);
    if (out.empty() || out.back().script != script) out.push_back({script, i, i});
    out.back().end = i + 1;
  }
  return out;
}

// Characters a word has, roughly.
double word_size(Script script) {
  switch (script) {
    case Script::han: return 2;
    case Script::hangul: return 3;
    case Script::katakana: return 5;
    default: return 4;
  }
}

double share_in(const Stretch& stretch) {
  const auto size = static_cast<double>(stretch.size());
  return std::max(1.0, size / word_size(stretch.script)) / std::max(1.0, size - 1);
}

// What follows a noun and is written on it.
bool is_korean_particle(std::uint32_t c) {
  return std::u32string_view(U"을를은는이가의에로와과도만").find(static_cast<char32_t>(c)) != std::u32string_view::npos;
}
bool is_object_particle(std::uint32_t c) { return c == U'을' || c == U'를' || c == U'은' || c == U'는'; }

// Of Chinese: pronouns and what joins words.
bool is_chinese_particle(std::uint32_t c) {
  return std::u32string_view(U"的了吗呢吧么这那你我它把也").find(static_cast<char32_t>(c)) != std::u32string_view::npos;
}

std::string as_text(std::uint32_t character) {
  std::array<char, 4> text{};
  return {text.data(), tokenizer::write_character(character, text.data())};
}

class RunReader {
 public:
  RunReader(std::string_view text, std::span<const Token> run)
      : text_(text), run_(run), characters_(characters_of(run)), stretches_(stretches_of(characters_)) {}

  std::vector<Term> read() const {
    const std::string all(text_.substr(run_.front().start, run_.back().end - run_.front().start));
    const bool says_nothing = is_stop_word(all);
    std::vector<Term> out;
    std::size_t stretch = 0;
    for (std::size_t i = 0; i < run_.size(); ++i) {
      while (i >= stretches_[stretch].end)
        ++stretch;
      Term term;
      term.text = text_.substr(run_[i].start, run_[i].end - run_[i].start);
      term.run = all;
      term.forms = {{{run_[i].stem}, 1}};
      if (i + 1 < characters_.size()) weigh(term, i, stretch);
      term.filler |= says_nothing || is_stop_word(run_[i].stem);
      out.push_back(std::move(term));
    }
    return out;
  }

 private:
  void weigh(Term& term, std::size_t i, std::size_t at) const {
    const Stretch& here = stretches_[at];
    if (i + 1 < here.end) {
      term.share = share_in(here);
      const bool ends = i + 2 == here.end;
      if (here.script == Script::hiragana) term.filler = true;
      if (here.script == Script::han)
        term.filler = is_chinese_particle(characters_[i]) || is_chinese_particle(characters_[i + 1]);
      if (here.script == Script::hangul && ends && is_korean_particle(characters_[i + 1])) {
        term.filler = here.size() > 2;
        if (here.size() == 2 && is_object_particle(characters_[i + 1])) also_alone(term, i);
      }
      return;
    }
    const Stretch& next = stretches_[at + 1];
    const bool single = here.script == Script::han && here.size() == 1;
    if (single && next.script == Script::hiragana) {
      term.share = kStem;
      also_alone(term, i);
    } else if (next.script == Script::han && next.size() == 1 && next.end == characters_.size()) {
      term.share = kEdge;
    } else {
      term.filler = true;
    }
  }
  void also_alone(Term& term, std::size_t i) const { term.forms.push_back({{as_text(characters_[i])}, kStemAlone}); }

  std::string_view text_;
  std::span<const Token> run_;
  std::vector<std::uint32_t> characters_;
  std::vector<Stretch> stretches_;
};

}  // namespace

bool is_of_pairs(const Token& token) {
  std::size_t at = 0;
  return !token.stem.empty() && tokenizer::is_paired(tokenizer::script_of(tokenizer::next_character(token.stem, at)));
}

std::vector<Term> terms_of_run(std::string_view text, std::span<const Token> run) {
  return RunReader(text, run).read();
}

void share_weight(std::vector<Term>& terms, const std::function<bool(const Term&)>& is_known) {
  const std::vector<Term> whole = terms;
  const auto neighbour = [&](const Term& of, int step) -> const Term* {
    const auto found = std::find_if(whole.begin(), whole.end(),
                                    [&](const Term& t) { return t.position == of.position + step && t.run == of.run; });
    return found != whole.end() ? &*found : nullptr;
  };
  for (Term& term : terms) {
    if (term.run.empty()) continue;
    const Term* const before = neighbour(term, -1);
    const Term* const behind = neighbour(term, 1);
    if (!is_known(term) && ((before != nullptr && is_known(*before)) || (behind != nullptr && is_known(*behind))))
      term.share = 0;
    if (before != nullptr && behind != nullptr) term.idf = std::min(term.idf, std::max(before->idf, behind->idf));
    term.idf *= term.share;
  }
}

}  // namespace memd::search
