#include "store/search/query_plan.hpp"

#include "store/queries/row_filter.hpp"
#include "store/search/stop_words.hpp"

#include <algorithm>
#include <cmath>

namespace memd::search {
namespace {

constexpr std::size_t kMaxTokens = 256;       // read of what was typed
constexpr std::size_t kMaxTerms = 16;         // looked for: the rarest
constexpr std::int64_t kWalkBudget = 6'000;   // documents that driving terms may have, together
constexpr std::int64_t kSideBudget = 60'000;  // and the others: skipping through their lists is some 50 times cheaper
constexpr double kCommon = 0.25;              // of all documents
constexpr std::int64_t kSmallStore = 200;     // documents: here nothing counts as common

std::string fts_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text)
    if (c != '"') out += c;
  return out + '"';
}

double idf_of(std::int64_t documents, std::int64_t frequency) {
  const auto n = static_cast<double>(std::max(documents, frequency));
  const auto f = static_cast<double>(frequency);
  return std::log(1 + (n - f + 0.5) / (f + 0.5));
}

std::string joined(const std::vector<std::string>& parts, std::string_view by) {
  std::string out;
  for (const auto& part : parts)
    out.append(out.empty() ? "" : by).append(part);
  return out;
}

class Planner {
 public:
  Planner(const IndexTokenizer& tokenizer, TermStatistics& statistics)
      : tokenizer_(tokenizer), statistics_(statistics) {}

  QueryPlan plan(const ParsedQuery& query) {
    for (const QueryText& piece : query.wanted)
      add(piece);
    drop_stop_words();
    drop_common();
    keep_rarest();
    choose_driving();
    std::vector<std::string> unwanted;
    for (const QueryText& piece : query.excluded)
      if (const auto tokens = cut(piece.text); !tokens.empty()) unwanted.push_back(phrase_text(piece.text, tokens));
    out_.excluded = joined(unwanted, " OR ");
    build_match();
    return std::move(out_);
  }

 private:
  std::vector<Token> cut(const std::string& text) const {
    std::vector<Token> tokens;
    tokenizer_.tokenize(text, tokens);
    return tokens;
  }

  static std::string phrase_text(const std::string& text, const std::vector<Token>& tokens) {
    std::string words;
    for (const Token& t : tokens)
      words.append(words.empty() ? "" : " ").append(text, t.start, t.end - t.start);
    return fts_string(words);
  }

  void add(const QueryText& piece) {
    const auto tokens = cut(piece.text);
    if (tokens.empty()) {
      out_.ignored.push_back(piece.text);
      return;
    }
    if (piece.quoted) {
      Term phrase;
      phrase.text = phrase_text(piece.text, tokens);
      phrase.required = true;
      for (const Token& t : tokens)
        phrase.stems.push_back(t.stem);
      insert(std::move(phrase));
    } else {
      for (const Token& t : tokens) {
        Term word;
        word.text = fts_string(piece.text.substr(t.start, t.end - t.start));
        word.stems = {t.stem};
        insert(std::move(word));
      }
    }
  }

  void insert(Term term) {
    term.position = position_++;
    if (term.position >= static_cast<int>(kMaxTokens)) return;
    for (Term& known : terms())
      if (known.stems == term.stems) {
        known.required |= term.required;
        return;
      }
    term.frequency = statistics_.documents() + 1;
    for (const auto& stem : term.stems)
      term.frequency = std::min(term.frequency, statistics_.document_frequency(stem));
    term.idf = idf_of(statistics_.documents(), term.frequency);
    terms().push_back(std::move(term));
  }

  // Drops the terms `unhelpful` names, unless nothing would be left that occurs at all.
  template <class Predicate>
  void drop_unless_all(Predicate unhelpful) {
    const bool others = std::any_of(terms().begin(), terms().end(),
                                    [&](const Term& t) { return t.frequency > 0 && (t.required || !unhelpful(t)); });
    if (!others) return;
    std::erase_if(terms(), [&](const Term& t) {
      if (t.required || !unhelpful(t)) return false;
      out_.ignored.push_back(t.text.substr(1, t.text.size() - 2));
      return true;
    });
  }

  void drop_stop_words() {
    drop_unless_all([](const Term& t) {
      return is_stop_word(queries::ascii_lower(std::string_view(t.text).substr(1, t.text.size() - 2)));
    });
  }

  void drop_common() {
    if (statistics_.documents() <= kSmallStore) return;
    const auto limit = static_cast<std::int64_t>(kCommon * static_cast<double>(statistics_.documents()));
    drop_unless_all([&](const Term& t) { return t.frequency > limit; });
  }

  // Of a pasted page the rarest words say what it is about. Words that occur nowhere are kept out of the expression,
  // but lower the score of all hits: they were asked for.
  void keep_rarest() {
    for (const Term& t : terms()) {
      out_.total_idf += t.idf;
      if (t.frequency > 0) continue;
      out_.ignored.push_back(t.text.substr(1, t.text.size() - 2));
      out_.impossible |= t.required;
    }
    std::erase_if(terms(), [](const Term& t) { return t.frequency == 0; });
    std::stable_sort(terms().begin(), terms().end(), [](const Term& a, const Term& b) {
      return a.required != b.required ? a.required : a.frequency < b.frequency;
    });
    std::int64_t documents = 0;
    for (const Term& t : terms())
      documents += t.frequency;
    while (terms().size() > kMaxTerms || (terms().size() > 1 && documents > kWalkBudget + kSideBudget)) {
      if (terms().back().required) break;
      documents -= terms().back().frequency;
      out_.total_idf -= terms().back().idf;
      out_.ignored.push_back(terms().back().text.substr(1, terms().back().text.size() - 2));
      terms().pop_back();
    }
  }

  void choose_driving() {
    std::int64_t walked = 0;
    const bool any_required = !terms().empty() && terms().front().required;
    for (Term& t : terms()) {
      t.drives = any_required ? t.required : walked == 0 || walked + t.frequency <= kWalkBudget;
      if (!t.drives) break;
      walked += t.frequency;
    }
  }

  // driving terms: R. The others must not add documents, so they come as R OR (R AND (others)): FTS5 then moves their
  // lists only to where R is.
  void build_match() {
    std::vector<std::string> driving;
    std::vector<std::string> others;
    for (const Term& t : terms())
      (t.drives ? driving : others).push_back(t.text);
    if (driving.empty() || out_.impossible) return;
    const std::string root = "(" + joined(driving, terms().front().required ? " AND " : " OR ") + ")";
    out_.match = others.empty() ? root : "(" + root + " OR ((" + joined(others, " OR ") + ") AND " + root + "))";
    if (!out_.excluded.empty()) out_.match = "(" + out_.match + " NOT (" + out_.excluded + "))";
  }

  std::vector<Term>& terms() { return out_.terms; }

  const IndexTokenizer& tokenizer_;
  TermStatistics& statistics_;
  QueryPlan out_;
  int position_ = 0;
};

}  // namespace

QueryPlan plan_query(const ParsedQuery& query, const IndexTokenizer& tokenizer, TermStatistics& statistics) {
  return Planner(tokenizer, statistics).plan(query);
}

}  // namespace memd::search
