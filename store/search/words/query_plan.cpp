#include "store/search/words/query_plan.hpp"

#include "schemas/base/ascii.hpp"
#include "store/db/fts5.hpp"
#include "store/read/row_filter.hpp"
#include "store/search/words/query_terms.hpp"
#include "store/search/words/vocabularies.hpp"
#include "store/text/words.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace memd::search {
namespace {

// Most posting-list entries read for one query. Bounds its time in a store of any size.
constexpr std::int64_t kPostingBudget = 3'000'000;
constexpr double kCommon = 0.25;           // share of the documents above which a word is common
constexpr std::int64_t kSmallStore = 200;  // documents; up to here no word is common
constexpr double kNegligible = 0.02;       // share of the query's weight below which a common word is not read
constexpr int kMaxCorrections = 2;
constexpr double kGuessed = 0.6;  // weight of a corrected word
constexpr std::size_t kNamesLookedAt = 64;
constexpr int kMaxNames = 12;
constexpr std::int64_t kRareWord = 50;  // documents
constexpr double kInsideAName = 0.8;    // weight of a name that contains the word

std::string fts_phrase(std::string_view text, const std::vector<Token>& tokens) {
  std::string out = "\"";
  for (const Token& t : tokens)
    out.append(out.size() > 1 ? " " : "").append(text, t.start, t.end - t.start);
  return out + '"';
}

double idf_of(std::int64_t documents, std::int64_t frequency) {
  const auto n = static_cast<double>(std::max(documents, frequency));
  const auto f = static_cast<double>(frequency);
  return std::log(1 + (n - f + 0.5) / (f + 0.5));
}

struct Correction {
  std::string text;
  std::string stem;
  std::int64_t frequency = 0;  // documents
};

constexpr std::size_t kShortest = 5;  // letters of a word that is corrected
constexpr std::size_t kLongest = 24;

template <class F>
void each_slip(const std::string& word, F&& f) {
  for (std::size_t i = 1; i <= word.size(); ++i) {
    const std::string before = word.substr(0, i);
    if (i < word.size()) f(before + word.substr(i + 1));
    if (i + 1 < word.size() && word[i] != word[i + 1]) f(before + word[i + 1] + word[i] + word.substr(i + 2));
    for (char c = 'a'; c <= 'z'; ++c) {
      f(before + c + word.substr(i));
      if (i < word.size() && c != word[i]) f(before + c + word.substr(i + 1));
    }
  }
}

// Returns the commonest word of the index at edit distance one: a letter inserted, deleted or replaced, or two adjacent
// ones swapped. Only for words of kShortest to kLongest letters; the first letter is never changed. Costs about 60
// look-ups per letter.
std::optional<Correction> corrected(std::string_view word, const IndexTokenizer& tokenizer,
                                    TermStatistics& statistics) {
  const std::string typed = ascii::lowered(word);
  if (typed.size() < kShortest || typed.size() > kLongest || !std::all_of(typed.begin(), typed.end(), ascii::is_lower))
    return std::nullopt;
  std::map<std::string, std::string> slips;  // stem → text
  std::vector<Token> tokens;
  each_slip(typed, [&](const std::string& text) {
    tokens.clear();
    tokenizer.tokenize(text, tokens);
    if (tokens.size() == 1 && tokens[0].stem.size() + 2 >= kShortest) slips.try_emplace(tokens[0].stem, text);
  });
  std::optional<Correction> best;
  for (const auto& [stem, text] : slips) {
    if (!statistics.index().contains_long_since(stem)) continue;
    const std::int64_t frequency = statistics.document_frequency(stem);
    if (frequency > 0 && (!best || frequency > best->frequency)) best = Correction{text, stem, frequency};
  }
  return best;
}

class Planner {
 public:
  explicit Planner(const Vocabularies& v)
      : tokenizer_(v.tokenizer),
        statistics_(v.statistics),
        names_(v.names),
        titles_(v.titles),
        background_(v.background) {}

  QueryPlan plan(const ParsedQuery& query) {
    QueryTerms read = terms_of(query, tokenizer_, statistics_.index());
    out_.terms = std::move(read.terms);
    out_.identifiers = std::move(read.identifiers);
    out_.ignored = std::move(read.wordless);
    drop_stop_words();
    count();
    look_into_names();
    share_weight(out_.terms, [this](const Term& t) { return is_known(t); });
    correct();
    drop_unknown();
    choose_driving();
    keep_affordable();
    name_ignored_runs();
    exclude(query);
    return std::move(out_);
  }

 private:
  std::int64_t frequency_of(const TermForm& form) {
    std::int64_t out = statistics_.documents() + 1;
    for (const auto& stem : form.stems)
      out = std::min(out, statistics_.document_frequency(stem));
    return out;
  }

  void drop_stop_words() {
    const auto is_stop = [](const Term& t) {
      return !t.required && (t.filler || is_stop_word(ascii::lowered(t.text)));
    };
    if (std::all_of(out_.terms.begin(), out_.terms.end(), is_stop)) return;
    std::erase_if(out_.terms, [&](const Term& t) {
      if (!is_stop(t)) return false;
      stop_words_.push_back(t);
      return true;
    });
    // "the who": when only the stop words occur, they are kept.
    const auto occurs = [&](const Term& t) { return t.required || frequency_of(t.forms.front()) > 0; };
    if (std::any_of(out_.terms.begin(), out_.terms.end(), occurs)) {
      for (const Term& t : stop_words_)
        ignore(t);
    } else {
      out_.terms.insert(out_.terms.end(), stop_words_.begin(), stop_words_.end());
    }
  }

  // A run of pairs is reported as ignored only if all of its pairs are: see name_ignored_runs().
  void ignore(const Term& t) {
    if (t.run.empty())
      out_.ignored.push_back(t.text);
    else if (std::find(ignored_runs_.begin(), ignored_runs_.end(), t.run) == ignored_runs_.end())
      ignored_runs_.push_back(t.run);
  }
  void name_ignored_runs() {
    for (std::string& run : ignored_runs_)
      if (std::none_of(out_.terms.begin(), out_.terms.end(), [&](const Term& t) { return t.run == run; }))
        out_.ignored.push_back(std::move(run));
  }

  void count() {
    for (Term& t : out_.terms) {
      // If the pair has a form with its first character alone, that form's frequency counts: it includes the pair's.
      t.frequency = frequency_of(t.run.empty() ? t.forms.front() : t.forms.back());
      if (t.frequency > 0) continue;
      for (auto form = t.forms.begin() + 1; form != t.forms.end(); ++form)
        t.frequency += frequency_of(*form);
      t.frequency = std::min(t.frequency, statistics_.documents());
    }
    for (Term& t : out_.terms)
      weigh(t);
  }

  void weigh(Term& t) {
    std::int64_t documents = statistics_.documents();
    std::int64_t frequency = t.frequency;
    if (background_ != nullptr) {
      documents += background_->documents();
      frequency += common_frequency(t);
    }
    t.idf = idf_of(documents, frequency);
  }

  // Returns the term's document frequency in the background.
  std::int64_t common_frequency(const Term& t) {
    if (background_ == nullptr) return 0;
    std::int64_t out = background_->documents();
    for (const auto& stem : t.forms.front().stems)
      out = std::min(out, background_->document_frequency(stem));
    return out;
  }

  // Adds compound names as forms of their words: "config parser" also finds ConfigParser. The name must contain two of
  // the words, or one that is rare.
  void look_into_names() {
    std::vector<std::string> words;
    for (const Term& t : out_.terms)
      words.push_back(t.required ? "" : ascii::lowered(t.text));
    int left = kMaxNames;
    for (const KnownName& known : names_.names_with(words, kNamesLookedAt)) {
      std::vector<Token> tokens;
      tokenizer_.tokenize(known.name, tokens);
      if (left == 0 || tokens.size() != 1) continue;
      const bool telling = std::popcount(known.words) > 1;
      bool used = false;
      for (std::size_t i = 0; i < std::min<std::size_t>(out_.terms.size(), 32); ++i) {
        Term& t = out_.terms[i];
        if ((known.words & 1U << i) == 0 || (!telling && t.frequency > kRareWord)) continue;
        used = true;
        t.forms.push_back({{tokens[0].stem}, kInsideAName});
        if (t.frequency > 0) continue;
        t.frequency = frequency_of(t.forms.back());
        weigh(t);
      }
      left -= used ? 1 : 0;
    }
  }

  bool is_known(const Term& t) {
    return t.frequency > 0 || (!t.required && std::any_of(t.forms.begin(), t.forms.end(), [this](const TermForm& form) {
             return titles_.holds(form);
           }));
  }

  // Corrects the spelling of unknown words. A word that occurs in the background is spelled correctly.
  void correct() {
    int left = kMaxCorrections;
    for (Term& t : out_.terms) {
      if (is_known(t) || t.required || left == 0 || common_frequency(t) > 0) continue;
      const auto known = corrected(t.text, tokenizer_, statistics_);
      if (!known) continue;
      --left;
      t.forms.push_back({{known->stem}, kGuessed});
      t.frequency = known->frequency;
      weigh(t);
      t.found_weight = kGuessed;
      out_.corrected.push_back({t.text, known->text});
    }
  }

  // Drops terms that occur nowhere. They still count in total_idf, and so lower the score of all hits.
  void drop_unknown() {
    for (const Term& t : out_.terms) {
      out_.total_idf += t.idf;
      if (is_known(t)) continue;
      ignore(t);
      if (t.run.empty()) out_.unknown.push_back(t.text);
      out_.impossible |= t.required;
    }
    std::erase_if(out_.terms, [this](const Term& t) { return !is_known(t); });
  }

  // Chooses the driving terms, so that a document with only common words is no candidate.
  void choose_driving() {
    const bool any_required =
        std::any_of(out_.terms.begin(), out_.terms.end(), [](const Term& t) { return t.required; });
    const auto limit = statistics_.documents() <= kSmallStore
                           ? statistics_.documents()
                           : static_cast<std::int64_t>(kCommon * static_cast<double>(statistics_.documents()));
    for (Term& t : out_.terms)
      t.drives = any_required ? t.required : t.frequency <= limit;
    if (std::none_of(out_.terms.begin(), out_.terms.end(), [](const Term& t) { return t.drives; }))
      for (Term& t : out_.terms)
        t.drives = true;
  }

  // Keeps the rarest terms within the limits. Of a pasted page, they describe the subject best.
  void keep_affordable() {
    std::stable_sort(out_.terms.begin(), out_.terms.end(), [](const Term& a, const Term& b) {
      if (a.required != b.required) return a.required;
      return a.drives != b.drives ? a.drives : a.idf * a.found_weight > b.idf * b.found_weight;
    });
    std::int64_t postings = 0;
    std::size_t kept = 0;
    for (; kept < out_.terms.size() && kept < QueryPlan::kMaxTerms; ++kept) {
      const Term& t = out_.terms[kept];
      postings += t.frequency;
      if (kept == 0 || t.required) continue;
      if (postings > kPostingBudget || (!t.drives && t.idf < kNegligible * out_.total_idf)) break;
    }
    for (std::size_t i = kept; i < out_.terms.size(); ++i) {
      out_.total_idf -= out_.terms[i].idf;
      ignore(out_.terms[i]);
    }
    out_.terms.resize(kept);
  }

  void exclude(const ParsedQuery& query) {
    for (const QueryText& piece : query.excluded) {
      std::vector<Token> tokens;
      tokenizer_.tokenize(piece.text, tokens);
      if (tokens.empty()) continue;
      out_.excluded.append(out_.excluded.empty() ? "" : " OR ").append(fts_phrase(piece.text, tokens));
      TermForm& form = out_.forbidden.emplace_back();
      for (const Token& t : tokens)
        form.stems.push_back(t.stem);
    }
  }

  const IndexTokenizer& tokenizer_;
  TermStatistics& statistics_;
  IdentifierDictionary& names_;
  TitleIndex& titles_;
  TermStatistics* const background_;
  QueryPlan out_;
  std::vector<Term> stop_words_;
  std::vector<std::string> ignored_runs_;
};

}  // namespace

QueryPlan plan_query(const ParsedQuery& query, const Vocabularies& vocabularies) {
  return Planner(vocabularies).plan(query);
}

}  // namespace memd::search
