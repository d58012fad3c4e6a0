#include "bench/retrieval/experiment.hpp"

#include "bench/retrieval/ranking_cases.hpp"
#include "bench/retrieval/teacher_vectors.hpp"
#include "bench/statistics.hpp"
#include "schemas/json_writer.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace memd::bench {

namespace {

// The English stop words of the Natural Language Toolkit, with contractions split as by a tokenizer. Not memd's own
// list, so that the anchor does not move when that changes.
constexpr auto kStopWords = std::to_array<std::string_view>({
    "i",       "me",       "my",         "myself",     "we",      "our",    "ours",  "ourselves", "you",     "your",
    "yours",   "he",       "him",        "his",        "himself", "she",    "her",   "hers",      "herself", "it",
    "its",     "itself",   "they",       "them",       "their",   "theirs", "what",  "which",     "who",     "whom",
    "this",    "that",     "these",      "those",      "am",      "is",     "are",   "was",       "were",    "be",
    "been",    "being",    "have",       "has",        "had",     "having", "do",    "does",      "did",     "doing",
    "a",       "an",       "the",        "and",        "but",     "if",     "or",    "because",   "as",      "until",
    "while",   "of",       "at",         "by",         "for",     "with",   "about", "against",   "between", "into",
    "through", "during",   "before",     "after",      "above",   "below",  "to",    "from",      "up",      "down",
    "in",      "out",      "on",         "off",        "over",    "under",  "again", "further",   "then",    "once",
    "here",    "there",    "when",       "where",      "why",     "how",    "all",   "any",       "both",    "each",
    "few",     "more",     "most",       "other",      "some",    "such",   "no",    "nor",       "not",     "only",
    "own",     "same",     "so",         "than",       "too",     "very",   "s",     "t",         "can",     "will",
    "just",    "don",      "should",     "now",        "d",       "ll",     "m",     "o",         "re",      "ve",
    "y",       "yourself", "yourselves", "themselves",
});

// Returns the distinct lower-case words of ASCII letters and digits in order (other bytes count as letters), without
// stop words unless nothing else is left.
std::vector<std::string> content_words(const std::string& text) {
  std::vector<std::string> all;
  std::string word;
  for (const char raw : text + " ") {
    const char c = raw >= 'A' && raw <= 'Z' ? static_cast<char>(raw - 'A' + 'a') : raw;
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c & 0x80) != 0) {
      word += c;
    } else if (!word.empty()) {
      if (std::find(all.begin(), all.end(), word) == all.end()) all.push_back(word);
      word.clear();
    }
  }
  std::vector<std::string> kept;
  for (const auto& w : all)
    if (std::find(kStopWords.begin(), kStopWords.end(), w) == kStopWords.end()) kept.push_back(w);
  return kept.empty() ? all : kept;
}

// The anchor: SQLite FTS5 with the porter stemmer over the same texts, one row for each exchange; stop words dropped,
// the remaining words joined by OR, bm25() unmodified.
class Fts5Index {
 public:
  explicit Fts5Index(const std::vector<Document>& documents);
  RankedList search(const std::string& question, std::size_t limit);

 private:
  const std::vector<Document>& documents_;
  sqlite::Database db_;
};

Fts5Index::Fts5Index(const std::vector<Document>& documents)
    : documents_(documents), db_(sqlite::Database::open(":memory:", sqlite::OpenMode::read_write)) {
  db_.exec("CREATE VIRTUAL TABLE texts USING fts5(text, tokenize = 'porter unicode61')");
  sqlite::Transaction tx(db_);
  for (std::size_t i = 0; i < documents.size(); ++i)
    db_.prepare("INSERT INTO texts (rowid, text) VALUES (?, ?)")
        .bind(static_cast<std::int64_t>(i + 1), documents[i].text)
        .run();
  tx.commit();
}

RankedList Fts5Index::search(const std::string& question, std::size_t limit) {
  RankedList list;
  const auto start = std::chrono::steady_clock::now();
  std::string match;
  for (const auto& word : content_words(question))
    match += (match.empty() ? "\"" : " OR \"") + word + '"';
  if (!match.empty()) {
    auto& q = db_.prepare("SELECT rowid, -rank FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?")
                  .bind(match, static_cast<std::int64_t>(limit));
    while (q.step()) {
      const Document& document = documents_[static_cast<std::size_t>(q.int64(0) - 1)];
      list.hits.push_back({document.exchange_id, document.session_uid, q.real(1), {}});
    }
    q.reset();
  }
  list.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return list;
}

constexpr std::size_t kFusedHits = 50;  // hits used of each list
constexpr std::size_t kSessions = 5;
constexpr std::size_t kDeepHits = 400;  // enough for five sessions

template <class Function>
Measure ranking_measure(std::string name, Function function) {
  return {std::move(name), [function](const RankedList& list, Unit unit, const std::set<std::string>& relevant) {
            return function(ranked_keys(list.hits, unit), relevant);
          }};
}

}  // namespace

Measure recall_at(std::size_t k) {
  return ranking_measure("recall@" + std::to_string(k), [k](const Keys& keys, const std::set<std::string>& relevant) {
    return recall(keys, relevant, k);
  });
}
Measure ndcg_at(std::size_t k) {
  return ranking_measure("nDCG@" + std::to_string(k), [k](const Keys& keys, const std::set<std::string>& relevant) {
    return ndcg(keys, relevant, k);
  });
}
Measure hit_at(std::size_t k) {
  return ranking_measure("hit@" + std::to_string(k), [k](const Keys& keys, const std::set<std::string>& relevant) {
    return hit(keys, relevant, k);
  });
}
Measure mean_reciprocal_rank() { return ranking_measure("MRR", reciprocal_rank); }

Measure session_hit_at(std::size_t k) {
  return {"session hit@" + std::to_string(k), [k](const RankedList& list, Unit, const std::set<std::string>& relevant) {
            return hit(ranked_keys(list.hits, Unit::session), relevant, k);
          }};
}

Measure says_nothing_relevant() {
  return {"nothing relevant", [](const RankedList& list, Unit, const std::set<std::string>&) {
            return list.nothing_relevant.value_or(false) ? 1.0 : 0.0;
          }};
}
Measure says_low_confidence() {
  return {"or low or no hit", [](const RankedList& list, Unit, const std::set<std::string>&) {
            const bool low = list.hits.empty() || list.hits.front().confidence == "low";
            return low || list.nothing_relevant.value_or(false) ? 1.0 : 0.0;
          }};
}

Measure tells_of_more() {
  return {"tells of more",
          [](const RankedList& list, Unit, const std::set<std::string>&) { return list.outside > 0 ? 1.0 : 0.0; }};
}

Measure tells_of_better() {
  return {"better elsewhere",
          [](const RankedList& list, Unit, const std::set<std::string>&) { return list.better ? 1.0 : 0.0; }};
}

Measure names_right_project() {
  return {"names the right one", [](const RankedList& list, Unit, const std::set<std::string>& relevant) {
            return list.better && relevant.contains(*list.better) ? 1.0 : 0.0;
          }};
}

void Experiment::ask(IndexedHome& home, const std::vector<Question>& questions) {
  if (run_.texts != nullptr) {
    for (const Document& document : home.documents())
      run_.texts->add(document.text);
    for (const Question& question : questions)
      run_.texts->add(question.text);
    return;
  }
  if (!plan_.memd_only && run_.cases == nullptr) ask_once(home.tool(), questions);
  home.look_again();
  if (run_.cases != nullptr) return run_.cases->add(plan_, home, questions);
  Fts5Index fts5(home.documents());
  const bool taught = !plan_.memd_only && run_.teacher != nullptr && run_.teacher->covers(home.documents(), questions);
  const std::size_t deep = plan_.unit == Unit::session ? kDeepHits : 10;
  has_also_ |= std::ranges::any_of(questions, [](const Question& q) { return !q.also.empty(); });
  for (const Question& question : questions) {
    if (!plan_.memd_only) add("fts5", question, fts5.search(question.text, deep));
    if (taught) add("teacher", question, run_.teacher->search(question.text, home.documents(), deep));
    ask_memd(home.tool(), question);
    questions_.push_back(question);
  }
}

// Asks without the second look.
void Experiment::ask_once(SearchTool& tool, const std::vector<Question>& questions) {
  const std::size_t sessions = plan_.unit == Unit::session ? kSessions : 0;
  for (const Question& question : questions)
    add("once", question,
        tool.search(question.text, "hybrid", {10, sessions}, plan_.in_project ? question.directory : ""));
}

void Experiment::ask_memd(SearchTool& tool, const Question& question) {
  const bool by_session = plan_.unit == Unit::session;
  const Depth shown = by_session ? Depth{10, kSessions} : Depth{10, 0};
  const Depth fused = by_session ? Depth{kFusedHits, kSessions} : Depth{kFusedHits, 0};
  if (!tool.has_mode()) {
    add("memd", question, tool.search(question.text, "", shown));
    return;
  }
  const std::string from = plan_.in_project ? question.directory : "";
  const RankedList hybrid = tool.search(question.text, "hybrid", shown, from);
  add("hybrid", question, hybrid);
  if (hybrid.ranking != "hybrid" && !told_) {
    told_ = true;
    fmt::print(stderr, "{}: memd has no vectors to search by, or can not embed: hybrid is {}\n", plan_.name,
               hybrid.ranking);
  }
  // A question without alternative phrasings counts with its hybrid result.
  if (has_also_)
    add("also", question,
        question.also.empty() ? hybrid : tool.search(question.text, "hybrid", shown, from, question.also));
  if (plan_.memd_only) return;
  if (!question.elsewhere.empty()) {
    add("project", question, tool.search(question.text, "hybrid", shown, question.directory));
    add("elsewhere", question, tool.search(question.text, "hybrid", shown, question.elsewhere));
  }
  const RankedList lexical = tool.search(question.text, "lexical", fused);
  const RankedList semantic = tool.search(question.text, "semantic", fused);
  add("lexical", question, lexical);
  if (semantic.ranking != "semantic") return;  // a fallback to words would not measure it
  add("semantic", question, semantic);
  add("rrf", question, reciprocal_rank_fusion({&lexical, &semantic}));
}

void Experiment::add(const std::string& method, const Question& question, const RankedList& list) {
  MethodRun& run = runs_[method];
  run.values.resize(plan_.measures.size());
  for (std::size_t m = 0; m < plan_.measures.size(); ++m)
    run.values[m].push_back(plan_.measures[m].value(list, plan_.unit, question.relevant));
  run.milliseconds.push_back(list.milliseconds);
}

std::vector<std::size_t> Experiment::members(const std::string& group) const {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < questions_.size(); ++i) {
    const auto& groups = questions_[i].groups;
    if (std::find(groups.begin(), groups.end(), group) != groups.end()) out.push_back(i);
  }
  return out;
}

namespace {

constexpr std::size_t kShownDifferences = 2;  // measures with a printed difference; the JSON has all

std::vector<double> of_group(const std::vector<double>& values, const std::vector<std::size_t>& members) {
  std::vector<double> out;
  out.reserve(members.size());
  for (const std::size_t i : members)
    out.push_back(values[i]);
  return out;
}

std::string shown(const Estimate& e) { return fmt::format("{:.3f} [{:.3f} {:.3f}]", e.mean, e.low, e.high); }
std::string shown_difference(const Estimate& e) {
  return fmt::format("{:+.3f} [{:+.3f} {:+.3f}]{}", e.mean, e.low, e.high, e.low > 0 || e.high < 0 ? " *" : "");
}

void write(json::Writer& w, const std::string& name, const Estimate& e) {
  w.key(name);
  w.begin_object();
  w.key("mean");
  w.number(e.mean);
  w.key("low");
  w.number(e.low);
  w.key("high");
  w.number(e.high);
  w.end_object();
}

}  // namespace

void Report::add(const Experiment& experiment) {
  for (const std::string& group : experiment.plan().groups)
    std::fputs(add_group(experiment, group).c_str(), stdout);
  for (const std::string& group : experiment.plan().details)
    add_group(experiment, group);
  std::fflush(stdout);
}

std::string Report::add_group(const Experiment& experiment, const std::string& group) {
  const auto members = experiment.members(group);
  if (members.empty()) return {};
  const auto& plan = experiment.plan();
  const auto& runs = experiment.runs();
  const std::string anchor = runs.contains("lexical") ? "lexical" : "fts5";
  const bool compares = runs.contains(anchor);

  std::string text = fmt::format("\n{}: {} – {} questions\n{:<10}", plan.name, group, members.size(), "");
  for (const Measure& m : plan.measures)
    text += fmt::format("{:<22}", m.name);
  for (std::size_t m = 0; compares && m < std::min(kShownDifferences, plan.measures.size()); ++m)
    text += fmt::format("{:<27}", plan.measures[m].name + " − " + anchor);
  text += "  p50    p95 ms\n";
  if (!experiments_.empty()) experiments_ += ",\n";
  json::Writer w(experiments_);
  w.begin_object();
  w.member("part", plan.name);
  w.member("title", plan.title);
  w.member("group", group);
  w.key("questions");
  w.number(static_cast<std::int64_t>(members.size()));
  if (compares) w.member("differences_to", anchor);
  w.key("methods");
  w.begin_object();
  std::string absent;
  for (const char* method : kMethods) {
    const auto at = runs.find(method);
    // A method that did not answer every question is not comparable.
    if (at == runs.end() || at->second.milliseconds.size() != experiment.questions().size()) {
      absent += (absent.empty() ? "" : ", ") + std::string(method);
      continue;
    }
    const MethodRun& run = at->second;
    std::string differences;
    text += fmt::format("{:<10}", method);
    w.key(method);
    w.begin_object();
    for (std::size_t m = 0; m < plan.measures.size(); ++m) {
      const auto values = of_group(run.values[m], members);
      const Estimate mean = bootstrap_mean(values);
      text += fmt::format("{:<22}", shown(mean));
      write(w, plan.measures[m].name, mean);
      if (!compares) continue;
      if (method == anchor) {
        if (m < kShownDifferences) differences += fmt::format("{:<27}", "");
        continue;
      }
      const Estimate difference = bootstrap_difference(values, of_group(runs.at(anchor).values[m], members));
      if (m < kShownDifferences) differences += fmt::format("{:<27}", shown_difference(difference));
      write(w, plan.measures[m].name + " difference", difference);
    }
    const auto taken = of_group(run.milliseconds, members);
    text += differences + fmt::format("{:>6.2f} {:>6.2f}\n", percentile(taken, 0.5), percentile(taken, 0.95));
    w.key("p50_ms");
    w.number(percentile(taken, 0.5));
    w.key("p95_ms");
    w.number(percentile(taken, 0.95));
    w.end_object();
  }
  w.end_object();
  w.end_object();
  if (!absent.empty() && !plan.memd_only) text += "–         " + absent + "\n";
  return text;
}

void Report::write_json(const std::filesystem::path& file) const {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << "[\n" << experiments_ << "\n]\n";
  out.close();
  if (!out) throw std::runtime_error("cannot write " + file.string());
}

}  // namespace memd::bench
