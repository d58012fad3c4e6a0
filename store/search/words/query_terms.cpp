#include "store/search/words/query_terms.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/utf8.hpp"
#include "store/read/row_filter.hpp"
#include "store/text/code_names.hpp"
#include "store/text/script.hpp"
#include "store/text/words.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace memd::search {
namespace {

using tokenizer::Script;

constexpr double kStem = 0.7;       // share of a pair of an ideograph and its ending: 直す
constexpr double kStemAlone = 0.6;  // weight of the first character without its ending
constexpr double kEdge = 0.5;       // share of a pair of another script and a single final ideograph

struct Stretch {  // a part of a run in one script
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

// Returns the typical length of a word in characters.
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

// Particles attached to a noun.
bool is_korean_particle(std::uint32_t c) {
  return std::u32string_view(U"을를은는이가의에로와과도만").find(static_cast<char32_t>(c)) != std::u32string_view::npos;
}
bool is_object_particle(std::uint32_t c) { return c == U'을' || c == U'를' || c == U'은' || c == U'는'; }

// Chinese pronouns and function words.
bool is_chinese_particle(std::uint32_t c) {
  return std::u32string_view(U"的了吗呢吧么这那你我它把也").find(static_cast<char32_t>(c)) != std::u32string_view::npos;
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
  void also_alone(Term& term, std::size_t i) const { term.forms.push_back({{as_utf8(characters_[i])}, kStemAlone}); }

  std::string_view text_;
  std::span<const Token> run_;
  std::vector<std::uint32_t> characters_;
  std::vector<Stretch> stretches_;
};

// Returns true for a pair of characters, and for a single character of such a script.
bool is_of_pairs(const Token& token) {
  std::size_t at = 0;
  return !token.stem.empty() && tokenizer::is_paired(tokenizer::script_of(tokenizer::next_character(token.stem, at)));
}

// Makes a term of each pair, in order. `run`: the tokens of a part of `text` that overlap.
std::vector<Term> terms_of_run(std::string_view text, std::span<const Token> run) {
  return RunReader(text, run).read();
}

constexpr int kMaxWords = 256;  // most words read of a query
constexpr std::size_t kMaxIdentifiers = 8;
constexpr std::size_t kJoined = 3;   // most adjacent words joined to one name
constexpr double kPartOfName = 0.8;  // weight of a name without its extension or its folder

// Recognises names that are one word in the index: E0308, TS2345, ECONNREFUSED, a1b2c3d.
bool is_code(std::string_view word) {
  if (word.size() < 4) return false;
  const bool digits = std::any_of(word.begin(), word.end(), ascii::is_digit);
  const bool letters = std::any_of(word.begin(), word.end(), ascii::is_letter);
  return (digits && letters) || (word.size() >= 6 && std::all_of(word.begin(), word.end(), ascii::is_upper));
}

class TermReader {
 public:
  TermReader(const IndexTokenizer& tokenizer, FullTextIndex& index) : tokenizer_(tokenizer), index_(index) {}

  QueryTerms read(const ParsedQuery& query) {
    for (const QueryText& piece : query.wanted) {
      const auto tokens = cut(piece.text);
      if (tokens.empty())
        out_.wordless.push_back(piece.text);
      else if (piece.quoted)
        add_phrase(piece.text, tokens);
      else
        add_words(piece.text, tokens);
    }
    join_neighbours();
    return std::move(out_);
  }

 private:
  std::vector<Token> cut(std::string_view text) const {
    std::vector<Token> tokens;
    tokenizer_.tokenize(text, tokens);
    return tokens;
  }

  static TermForm form_of(const std::vector<Token>& tokens, std::size_t first, std::size_t end, double weight = 1) {
    TermForm form{{}, weight};
    for (std::size_t i = first; i < end; ++i)
      form.stems.push_back(tokens[i].stem);
    return form;
  }

  // Returns the stems of the parts of a name that is one word in the index. Empty: it has no parts.
  TermForm taken_apart(std::string_view word) const {
    auto parts = enrichment::identifier_parts(word);
    if (parts.size() == 1) {
      const auto letters =
          static_cast<std::size_t>(std::find_if(word.begin(), word.end(), ascii::is_digit) - word.begin());
      if (letters >= 3 && letters < word.size() && std::all_of(word.begin() + letters, word.end(), ascii::is_digit))
        parts = {word.substr(0, letters), word.substr(letters)};  // HTTP404
    }
    if (parts.size() < 2) return {};
    std::string spaced;
    for (const auto part : parts)
      spaced.append(part).append(" ");
    const auto tokens = cut(spaced);
    return form_of(tokens, 0, tokens.size());
  }

  void insert(Term term) {
    term.position = position_;
    position_ += term.words;
    if (term.position >= kMaxWords) return;
    for (Term& known : out_.terms)
      if (known.forms.front().stems == term.forms.front().stems) {
        known.required |= term.required;
        return;
      }
    out_.terms.push_back(std::move(term));
  }

  void add_phrase(std::string_view text, const std::vector<Token>& tokens) {
    Term phrase;
    phrase.text = text;
    phrase.required = true;
    phrase.forms = {form_of(tokens, 0, tokens.size())};
    phrase.words = static_cast<int>(tokens.size());
    if (tokens.size() == 1)
      if (TermForm parts = taken_apart(text.substr(tokens[0].start, tokens[0].end - tokens[0].start));
          !parts.stems.empty())
        phrase.forms.push_back(std::move(parts));
    insert(std::move(phrase));
  }

  // A text without blanks can mix plain words and runs that are read as pairs of characters: 使用SQLite数据库.
  void add_words(std::string_view text, const std::vector<Token>& tokens) {
    if (std::none_of(tokens.begin(), tokens.end(), is_of_pairs)) return add_plain_words(text, tokens);
    for (std::size_t first = 0; first < tokens.size();) {
      const bool pairs = is_of_pairs(tokens[first]);
      std::size_t end = first + 1;
      while (end < tokens.size() && is_of_pairs(tokens[end]) == pairs &&
             (!pairs || tokens[end].start < tokens[end - 1].end))
        ++end;
      if (pairs) {
        for (Term& pair : terms_of_run(text, std::span(tokens).subspan(first, end - first)))
          insert(std::move(pair));
      } else {
        const std::string_view words = text.substr(tokens[first].start, tokens[end - 1].end - tokens[first].start);
        add_plain_words(words, cut(words));
      }
      first = end;
    }
  }

  void add_plain_words(std::string_view text, const std::vector<Token>& tokens) {
    for (const Token& t : tokens) {
      Term word;
      word.text = text.substr(t.start, t.end - t.start);
      word.forms = {{{t.stem}, 1}};
      if (TermForm parts = taken_apart(word.text); !parts.stems.empty()) {
        identify(word.text, {word.forms.front(), parts});
        word.forms.push_back(std::move(parts));
      } else if (is_code(word.text)) {
        identify(word.text, {word.forms.front()});
      }
      insert(std::move(word));
    }
    if (tokens.size() > 1) identify_compound(text, tokens);
  }

  void identify(std::string text, std::vector<TermForm> forms) {
    if (out_.identifiers.size() < kMaxIdentifiers) out_.identifiers.push_back({std::move(text), std::move(forms)});
  }

  // Adds src/foo_bar.cpp also as foo_bar.cpp, foo_bar and fooBar.
  void identify_compound(std::string_view text, const std::vector<Token>& tokens) {
    std::vector<TermForm> forms{form_of(tokens, 0, tokens.size())};
    std::size_t first = 0;
    if (const auto slash = text.find_last_of("/\\"); slash != std::string_view::npos)
      while (first + 1 < tokens.size() && tokens[first].start < slash)
        ++first;
    if (first > 0) forms.push_back(form_of(tokens, first, tokens.size(), kPartOfName));
    std::size_t end = tokens.size();
    if (end - first > 2 && text[tokens[end - 1].start - 1] == '.') --end;
    if (end < tokens.size()) forms.push_back(form_of(tokens, first, end, kPartOfName));
    std::string joined;
    for (std::size_t i = first; i < end; ++i)
      joined.append(text, tokens[i].start, tokens[i].end - tokens[i].start);
    if (const auto one = cut(joined); one.size() == 1) forms.push_back({{one[0].stem}, 1});
    identify(std::string(text), std::move(forms));
  }

  // Adjacent words that are one word of the index when joined ("parse config", parseConfig) are a name, which also
  // becomes a form of each of them. A word followed by a number (HTTP 404, exit code 137) is a name, too.
  void join_neighbours() {
    auto& terms = out_.terms;
    const auto plain = [&](std::size_t i) {
      return i < terms.size() && !terms[i].required && terms[i].words == 1 && terms[i].run.empty() &&
             !is_stop_word(ascii::lowered(terms[i].text));
    };
    for (std::size_t first = 0; first < terms.size(); ++first) {
      if (!plain(first)) continue;
      std::string joined = terms[first].text;
      for (std::size_t last = first + 1; last < first + kJoined; ++last) {
        if (!plain(last) || terms[last].position != terms[last - 1].position + 1) break;
        joined += terms[last].text;
        const auto one = cut(joined);
        const bool known = one.size() == 1 && index_.contains(one[0].stem);
        const bool numbered =
            last == first + 1 && std::all_of(terms[last].text.begin(), terms[last].text.end(), ascii::is_digit);
        if (!known && !numbered) continue;
        std::vector<TermForm> forms{{{}, 1}};
        for (std::size_t i = first; i <= last; ++i)
          forms.front().stems.push_back(terms[i].forms.front().stems.front());
        if (known) {
          forms.push_back({{one[0].stem}, 1});
          for (std::size_t i = first; i <= last; ++i)
            terms[i].forms.push_back({{one[0].stem}, 1});
        }
        identify(joined, std::move(forms));
      }
    }
  }

  const IndexTokenizer& tokenizer_;
  FullTextIndex& index_;
  QueryTerms out_;
  int position_ = 0;
};

}  // namespace

QueryTerms terms_of(const ParsedQuery& query, const IndexTokenizer& tokenizer, FullTextIndex& index) {
  return TermReader(tokenizer, index).read(query);
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
