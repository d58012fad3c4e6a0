#include "bench/retrieval/experiment.hpp"

#include "bench/retrieval/fts5_index.hpp"
#include "bench/retrieval/ranking_cases.hpp"
#include "bench/retrieval/teacher_vectors.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace memd::bench {
namespace {

constexpr std::size_t kFusedHits = 50;  // of each list
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

void Experiment::ask(IndexedHome& home, const std::vector<Question>& questions) {
  if (run_.texts != nullptr) {
    for (const Document& document : home.documents())
      run_.texts->add(document.text);
    for (const Question& question : questions)
      run_.texts->add(question.text);
    return;
  }
  if (run_.cases != nullptr) return run_.cases->add(plan_, home, questions);
  Fts5Index fts5(home.documents());
  const bool taught = !plan_.memd_only && run_.teacher != nullptr && run_.teacher->covers(home.documents(), questions);
  const std::size_t deep = plan_.unit == Unit::session ? kDeepHits : 10;
  for (const Question& question : questions) {
    if (!plan_.memd_only) add("fts5", question, fts5.search(question.text, deep));
    if (taught) add("teacher", question, run_.teacher->search(question.text, home.documents(), deep));
    ask_memd(home.tool(), question);
    questions_.push_back(question);
  }
}

void Experiment::ask_memd(SearchTool& tool, const Question& question) {
  const bool by_session = plan_.unit == Unit::session;
  const Depth shown = by_session ? Depth{10, kSessions} : Depth{10, 0};
  const Depth fused = by_session ? Depth{kFusedHits, kSessions} : Depth{kFusedHits, 0};
  if (!tool.has_mode()) {
    add("memd", question, tool.search(question.text, "", shown));
    return;
  }
  const RankedList hybrid = tool.search(question.text, "hybrid", shown);
  add("hybrid", question, hybrid);
  if (hybrid.ranking != "hybrid" && !told_) {
    told_ = true;
    fmt::print(stderr, "{}: memd has no vectors to search by, or can not embed: hybrid is {}\n", plan_.name,
               hybrid.ranking);
  }
  if (plan_.memd_only) return;
  const RankedList lexical = tool.search(question.text, "lexical", fused);
  const RankedList semantic = tool.search(question.text, "semantic", fused);
  add("lexical", question, lexical);
  if (semantic.ranking != "semantic") return;  // words in its place are no measurement of it
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

}  // namespace memd::bench
